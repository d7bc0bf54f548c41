import HTTPTypes
import Hummingbird
package import TillCore
import TillCounter
package import TillJournal
import TillPrinting
import TillReceipts
package import TillWeb

/// `POST /v1/printers/{name}/test`: prints a page that is no receipt at a printer that the shop added.
package struct PrinterTestRoute: Sendable {
    /// The maximum body size in bytes.
    package static let maximumBodyBytes = 1_024
    /// The maximum number of test pages that are printed at the same time, by all accounts.
    static let maximumAtOnce = 8

    private let journal: any CounterStore
    private let clock: any TillClock
    private let store: String
    private let places: AccountPlaces

    package init(journal: any CounterStore, clock: any TillClock, options: ServerOptions) {
        self.journal = journal
        self.clock = clock
        store = options.receipts.store.name.plain
        places = AccountPlaces(AccountShares(all: PrinterTestRoute.maximumAtOnce, owner: options.account))
    }

    package func register(on router: CounterRouter) {
        router.post(
            "/v1/printers/{name}/test", for: .readers, of: .counter, maximumBodyBytes: PrinterTestRoute.maximumBodyBytes
        ) { try await test(try $0.parameters.text("name"), $0) }
    }

    private func test(_ name: String, _ incoming: Incoming) async throws -> Response {
        try (try await incoming.document()).allow([])
        let registry = PrinterRegistry(journal, clock: clock)
        // Only registered printers: an address in a request would give callers access to the shop's network.
        guard try await registry.known(name) != nil else { throw Problem.notFound }
        let outcome = try await places.withPlace(of: incoming.account, else: PrinterTestRoute.full) {
            try await send(to: name, of: registry)
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("printed", outcome.isHandedOver)
        writer.field("message", PrinterTestPage.sentence(of: outcome))
        writer.endObject()
        return .json(writer.bytes)
    }

    private func send(to name: String, of registry: PrinterRegistry) async throws -> PrintOutcome {
        do {
            return try await registry.printer(name).print(
                PrinterTestPage.document(store: store, at: clock.now()), name: PrinterTestPage.name)
        } catch let error as JournalError { throw error } catch let error as any ExplainedError {
            throw Problem(.conflict, error.code, error.what, next: error.next)
        }
    }

    private static let full = Problem(
        .tooManyRequests, "too_many_receipts",
        "Too many test pages are being printed. This one was not sent to the printer.",
        next: "Wait until some have finished."
    ).retrying(after: 10)
}
