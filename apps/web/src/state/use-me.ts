import { useQuery } from '@tanstack/react-query';
import { fetchMe } from '../http/gateway.ts';

/** Who is signed in; undefined until it is known. */
export function useMe() {
  return useQuery({ queryKey: ['me'], queryFn: fetchMe }).data;
}
