// The examples of the doc comments, written by scripts/examples. They are compiled, not run.

import TillCore
import TillHardware
import TillHardwareCombine

/// Of `CardReaderPublishers.swift`.
private func example1(_ service: any CardReaderService) async throws {
    let publishers = CardReaderPublishers(service)
    let readers = publishers.discoveredReaders
    let events = publishers.readerEvents
    let started = publishers.start(NoCardReaderConfig())
    _ = publishers
    _ = readers
    _ = events
    _ = started
}
