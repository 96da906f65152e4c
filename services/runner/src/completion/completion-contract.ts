/** How an executor is told to end its work, in the modes that ask for a completion block. */
export const completionContract = `HOW TO FINISH:
Your last text, the one without a tool call, holds exactly one fenced block of this form:
\`\`\`completion
{"status": "done", "summary": "…", "deliverables": ["path"], "evidence": [], "discoveries": []}
\`\`\`
status: "done" when every criterion is met, "partial" when something is missing, "blocked" when you cannot go on.
summary: what you did; if it is not done, what is missing and why. deliverables: the paths that you wrote. evidence: what shows that it is done. discoveries: what you found that the plan did not know.`;
