// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import Crypto
import TillContactless
import TillCore

/// Of `Transcript.swift`.
private func example1(_ file: [UInt8]) async throws {
    let transcript = try Transcript(bytes: file)
    for step in TranscriptExplanation.steps(transcript) {
        print(step.title, step.sentence, step.notes.joined(separator: " "))
    }
    let replay = ReplayChannel(transcript)  // a card that responds as recorded
    _ = transcript
    _ = replay
}

/// Of `ContactlessReader.swift`.
private func example2() async throws {
    let reader = ContactlessReader(profile: TerminalProfile(countryCode: 276, merchantName: "Corner shop"))
    let request = TapRequest(amount: Money(minorUnits: 1250, currency: .eur), time: SystemClock().now())
    let reading = try await reader.read(request, over: VirtualCardChannel(.visa))
    print(reading.outcome.sentence, reading.lastFour ?? "no number")
    _ = reader
    _ = request
    _ = reading
}

/// Of `DataObject.swift`.
private func example3() async throws {
    let objects = try DataObject.parse(Hex.bytes("6F 09 84 07 A0 00 00 00 03 10 10"))
    let name = objects.first(0x84)?.value  // A0000000031010, the application's identifier
    for line in objects.explained() {
        print(line.tag, line.name ?? "unknown", line.value ?? "")
    }
    _ = objects
    _ = name
}

/// Of `VASReader.swift`.
private func example4(_ channel: any CardChannel, _ key: P256.KeyAgreement.PrivateKey) async throws {
    guard let pass = VASMerchant(passTypeIdentifier: "pass.com.example.loyalty") else { return }
    for entry in try await VASReader().read([pass], mode: .passAndPayment, over: channel) {
        guard let cryptogram = entry.cryptogram else { continue }
        let opened = try cryptogram.open(keys: [key], passTypeIdentifier: entry.merchant.passTypeIdentifier)
        print("A pass of \(opened.message.reveal().count) bytes, read at \(opened.time)")
    }
}
