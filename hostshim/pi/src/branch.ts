import type { ExtensionContext, SessionEntry } from "@earendil-works/pi-coding-agent";

type Session = Pick<ExtensionContext["sessionManager"], "getLeafId" | "getEntry">;

export interface Branch {
	leaf: string;
	entries: unknown[];
	complete: boolean;
}

/**
 * The branch from the root to the leaf, or, with complete, what follows the entry after. Only what the engine reads is
 * in it; a session may hold hundreds of megabytes of other things.
 */
export function branch(session: Session, after?: string, leaf = session.getLeafId() ?? ""): Branch {
	const entries: unknown[] = [];
	let at: string | null = leaf;
	while (at && at !== after) {
		const entry: SessionEntry | undefined = session.getEntry(at);
		if (!entry) break;
		const slim = ours(entry);
		if (slim) entries.push(slim);
		at = entry.parentId;
	}
	return { leaf, entries: entries.reverse(), complete: after !== undefined && at === after };
}

function ours(entry: SessionEntry): unknown {
	if (entry.type === "custom" || entry.type === "custom_message")
		return entry.customType.startsWith("ask:") ? entry : undefined;
	if (entry.type !== "message") return undefined;
	const message = entry.message;
	if (message.role === "assistant") {
		return { ...entry, message: { ...message, content: message.content.filter((part) => part.type === "toolCall") } };
	}
	if (message.role === "toolResult") {
		const { role, toolCallId, toolName, isError, details } = message;
		return {
			...entry,
			message: { role, toolCallId, toolName, isError, ...(toolName === "wait_for_answers" ? { details } : {}) },
		};
	}
	return message.role === "user" ? entry : undefined;
}
