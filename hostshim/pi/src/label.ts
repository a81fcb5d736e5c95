/** White space as the contract defines it: what `\s` matches, U+FEFF included, U+0085 and U+200B not. */
const blank = /^\s*$/;

type Loose = Record<string, unknown>;

const isObject = (v: unknown): v is Loose => typeof v === "object" && v !== null && !Array.isArray(v);

/** The label for an option that has none: its value with blanks for separators, the first character in upper case. */
export function labelOf(value: string): string {
	const text = value.replace(/[-_]+/g, " ").replace(/\s+/g, " ").trim();
	const [first = ""] = text;
	return first.toUpperCase() + text.slice(first.length);
}

function withLabel(option: unknown): unknown {
	if (!isObject(option) || typeof option.value !== "string") return option;
	const missing =
		!("label" in option) ||
		option.label === undefined ||
		(typeof option.label === "string" && blank.test(option.label));
	const label = missing ? labelOf(option.value) : "";
	return label === "" ? option : { ...option, label };
}

function withLabels(question: unknown): unknown {
	if (!isObject(question) || !Array.isArray(question.options)) return question;
	return { ...question, options: question.options.map(withLabel) };
}

/**
 * Gives every option without a label one, before the arguments meet the schema. Arguments of an unexpected shape pass
 * through as they are, and nothing is changed in place.
 */
export function prepareLabels(args: unknown): unknown {
	if (!isObject(args) || !Array.isArray(args.questions)) return args;
	return { ...args, questions: args.questions.map(withLabels) };
}
