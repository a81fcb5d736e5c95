import assert from "node:assert/strict";
import { PassThrough, Writable } from "node:stream";
import { test } from "node:test";
import { type Handlers, Peer, RpcError } from "../src/peer.ts";

/** A peer whose other side is the test: what it writes is in sent, what is given to receive arrives. */
function connect(handlers: Partial<Handlers> = {}) {
	const input = new PassThrough();
	const output = new PassThrough();
	const garbage: string[] = [];
	let failed: Error | undefined;
	const peer = new Peer(input, output, {
		request: () => ({}),
		notification: () => {},
		drained: () => {},
		garbage: (line) => garbage.push(line),
		failed: (reason) => {
			failed = reason;
		},
		...handlers,
	});
	const settle = () => new Promise((resolve) => setImmediate(resolve));
	return {
		peer,
		input,
		garbage,
		failure: () => failed,
		async receive(...lines: string[]) {
			input.write(lines.map((l) => `${l}\n`).join(""));
			await settle();
		},
		async sent() {
			await settle();
			const text: Buffer | null = output.read();
			return (text?.toString() ?? "")
				.split("\n")
				.filter((l) => l !== "")
				.map((l) => JSON.parse(l));
		},
	};
}

test("answers find their calls in any order", async () => {
	const c = connect();
	const [one, two] = [c.peer.call("one", {}), c.peer.call("two", { a: 1 })];
	assert.deepEqual(await c.sent(), [
		{ jsonrpc: "2.0", id: 1, method: "one", params: {} },
		{ jsonrpc: "2.0", id: 2, method: "two", params: { a: 1 } },
	]);
	const refused = assert.rejects(
		one,
		(e) => e instanceof RpcError && e.code === -32602 && e.message === "bad: no cols",
	);
	await c.receive('{"id":2,"result":"second"}', '{"id":1,"error":{"code":-32602,"message":"bad","data":"no cols"}}');
	assert.equal(await two, "second");
	await refused;
});

test("requests of the other side are answered, with errors too", async () => {
	const c = connect({
		request(method) {
			if (method === "good") return { n: 1 };
			if (method === "nothing") return undefined;
			throw method === "stale" ? new RpcError(-32010, "too late") : new Error("broken");
		},
	});
	await c.receive(...["good", "nothing", "stale", "bad"].map((method, id) => JSON.stringify({ id, method })));
	const answers = (await c.sent()).sort((a, b) => a.id - b.id);
	assert.deepEqual(answers, [
		{ jsonrpc: "2.0", id: 0, result: { n: 1 } },
		{ jsonrpc: "2.0", id: 1, result: {} },
		{ jsonrpc: "2.0", id: 2, error: { code: -32010, message: "too late" } },
		{ jsonrpc: "2.0", id: 3, error: { code: -32603, message: "broken" } },
	]);
});

test("a message may arrive in pieces, cut inside a character", async () => {
	const got: unknown[] = [];
	let drained = 0;
	const c = connect({ notification: (_m, p) => void got.push(p), drained: () => void drained++ });
	const bytes = Buffer.from('{"method":"x","params":"日本"}\n{"method":"x","params":2}\n');
	for (const b of bytes) {
		c.input.write(Buffer.from([b]));
		await new Promise((resolve) => setImmediate(resolve));
	}
	assert.deepEqual(got, ["日本", 2]);
	assert.equal(drained, bytes.length);
});

test("lines that are no messages are told and do no harm", async () => {
	const c = connect();
	const call = c.peer.call("x", {});
	await c.receive("panic: oh", "", '{"half":', "42", "null", '{"id":77,"result":1}', '{"id":1,"result":"fine"}');
	assert.equal(await call, "fine");
	assert.deepEqual(c.garbage, ["panic: oh", '{"half":', "42", "null"]);
});

test("after the end every call is rejected with the reason", async () => {
	const c = connect();
	const call = c.peer.call("x", {});
	c.peer.close(new Error("gone"));
	await assert.rejects(call, /gone/);
	await assert.rejects(c.peer.call("y", {}), /gone/);
	c.peer.notify("z", {});
	assert.equal((await c.sent()).length, 1, "nothing is written after the end");
});

/** An output that takes one line and then waits for the test. */
function slow() {
	const taken: string[] = [];
	let go = () => {};
	const output = new Writable({
		highWaterMark: 1,
		write(chunk, _encoding, done) {
			taken.push(chunk.toString().trim());
			go = done;
		},
	});
	return { output, taken, go: () => go() };
}

test("while the other side does not read, only the newest of what is replaceable waits", async () => {
	const s = slow();
	const peer = new Peer(new PassThrough(), s.output, connect() as unknown as Handlers);
	peer.notify("key", { n: 0 });
	for (let n = 1; n <= 3; n++) {
		peer.notify("size", { n }, "size");
		peer.notify("key", { n });
	}
	for (let i = 0; i < 10; i++) {
		s.go();
		await new Promise((resolve) => setImmediate(resolve));
	}
	const got = s.taken.map((l) => JSON.parse(l)).map((m) => `${m.method}${m.params.n}`);
	assert.deepEqual(got, ["key0", "size3", "key1", "key2", "key3"]);
});

test("an engine that never reads is given up before the memory is full", () => {
	let failed = "";
	const handlers = {
		failed: (e: Error) => {
			failed = e.message;
		},
	} as unknown as Handlers;
	const peer = new Peer(new PassThrough(), slow().output, handlers);
	const text = "x".repeat(1 << 20);
	for (let i = 0; i < 70 && failed === ""; i++) peer.notify("form/paste", { text });
	assert.equal(failed, "it does not read its input");
});
