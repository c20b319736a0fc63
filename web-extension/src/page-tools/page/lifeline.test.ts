import { beforeEach, describe, expect, it, vi } from "vitest";
import { FakePort } from "../../shared/testing/fake-chrome";
import { Lifeline } from "./lifeline";

let ports: FakePort[];
let cuts: number;
let line: Lifeline;

beforeEach(() => {
  ports = [];
  cuts = 0;
  line = new Lifeline(() => {
    cuts += 1;
  });
  const connect = ({ name }: { name: string }): FakePort => {
    const port = new FakePort(name);
    ports.push(port);
    return port;
  };
  vi.stubGlobal("chrome", { runtime: { connect } });
});

describe("a line to the service worker", () => {
  it("is there once, as long as anything is under way", () => {
    line.hold("one");
    line.hold("two");
    line.drop("one");
    expect(ports.map(({ name, open }) => [name, open])).toEqual([["sidewire-tools", true]]);
    line.drop("two");
    line.drop("two");
    expect(ports.map(({ open }) => open)).toEqual([false]);
    line.hold("three");
    expect(ports).toHaveLength(2);
    expect(cuts).toBe(0);
  });

  it("that breaks ends what is under way, once; an old one that breaks ends nothing", () => {
    line.hold("one");
    line.drop("one");
    line.hold("two");
    ports[0]?.onDisconnect.emit();
    expect(cuts).toBe(0);
    ports[1]?.onDisconnect.emit();
    expect(cuts).toBe(1);
    line.hold("three");
    expect(ports).toHaveLength(3);
  });

  it("that cannot be made ends it too", () => {
    vi.stubGlobal("chrome", {
      runtime: {
        connect: () => {
          throw new Error("Extension context invalidated.");
        },
      },
    });
    line.hold("one");
    expect(cuts).toBe(1);
  });
});
