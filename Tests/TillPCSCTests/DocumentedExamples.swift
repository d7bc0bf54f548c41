// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillContactless
import TillCore
import TillPCSC

/// Of `PCSCChannel.swift`.
private func example1() async throws {
    let channel = PCSCChannel(reader: "ACR1252")
    try await channel.waitForCard()
    let directory = CommandAPDU(0x00, 0xA4, 0x04, 0x00, data: Array("2PAY.SYS.DDF01".utf8))
    let answer = try await channel.transmit(directory)
    await channel.powerOff()
    _ = channel
    _ = directory
    _ = answer
}
