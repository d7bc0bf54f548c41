import TillCore
import TillHardware

/// Prints a reader's messages to standard error, in order.
final class ReaderProgress: Sendable {
    private let printer: Task<Void, Never>

    /// Subscribes to the reader's events.
    init(_ reader: some CardReaderService, isQuiet: Bool) async {
        let events = reader.readerEvents.subscribe()
        printer = Task {
            for await event in events {
                if !isQuiet { Output.note("Reader: \(ReaderProgress.words(event))") }
                if [.processing, .canceled, .declined].contains(event.type) { return }
            }
        }
    }

    /// Returns once all events are reported, after 200 ms at the latest: some endings have no event.
    func end() async {
        let printer = printer
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await printer.value }
            group.addTask { await SystemClock().pause(for: .milliseconds(200)) }
            await group.next()
            group.cancelAll()
            printer.cancel()
        }
    }

    private static func words(_ event: CardReaderEvent) -> String {
        if let message = event.message { return message }
        return switch event.type {
        case .cardDetailsCollected: "The card was read."
        case .cardRemoved: "The card was removed."
        default: event.type.rawValue.replacing("_", with: " ")
        }
    }
}
