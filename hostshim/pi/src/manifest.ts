import { readFileSync } from "node:fs";

/** What the engine has pi register, written by `pi-agent-ask manifest`. */
export interface Manifest {
	protocol: number;
	tools: {
		name: string;
		label: string;
		description: string;
		promptSnippet: string;
		promptGuidelines: string[];
		exposure: "direct" | "model-only";
		parameters: object;
		outputSchema?: object;
	}[];
	commands: { name: string; description: string }[];
	/** Custom messages that the engine draws. */
	messageTypes: string[];
	/** Entry types after which the session file is synced. */
	outcomes: string[];
	/** Event channels by what they are for. */
	channels: Record<string, string>;
}

/** Reads the manifest of this package. */
export function readManifest(): Manifest {
	return JSON.parse(readFileSync(new URL("../manifest.json", import.meta.url), "utf8"));
}
