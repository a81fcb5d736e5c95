import { getNativeClipboard } from "@earendil-works/pi-tui";

/** The image on the clipboard, by the means of the platform; fails where there are none. */
export async function readImage(): Promise<{ mimeType: string; data: string } | { empty: true }> {
	const image = await getNativeClipboard()?.getImage();
	if (image === undefined) throw new Error("there is no native clipboard");
	if (!image?.length) return { empty: true };
	const data = Buffer.from(image.buffer, image.byteOffset, image.byteLength);
	return { mimeType: imageType(data), data: data.toString("base64") };
}

function imageType(data: Buffer): string {
	if (data.subarray(0, 3).equals(Buffer.from([0xff, 0xd8, 0xff]))) return "image/jpeg";
	const head = data.toString("latin1", 0, 12);
	if (head.startsWith("GIF8")) return "image/gif";
	return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : "image/png";
}
