import Hummingbird
package import TillCore
import TillCounter
package import TillJournal
import TillPrinting
package import TillWeb

/// `POST /v1/printers/{name}/drawer`: opens the cash drawer without a sale, for staff with the drawer permission and
/// for keys with the readers scope.
package struct DrawerRoute: Sendable {
    /// The maximum body size in bytes.
    package static let maximumBodyBytes = 1_024

    package let journal: any CounterStore
    package let clock: any TillClock

    package init(journal: any CounterStore, clock: any TillClock) {
        self.journal = journal
        self.clock = clock
    }

    package func register(on router: CounterRouter) {
        router.post(
            "/v1/printers/{name}/drawer", for: .readers, of: .counter, needs: .drawer,
            maximumBodyBytes: DrawerRoute.maximumBodyBytes
        ) { try await open(try $0.parameters.text("name"), $0) }
    }

    private func open(_ name: String, _ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["pin"])
        // Only registered printers: an address in a request would give callers access to the shop's network.
        guard try await PrinterRegistry(journal, clock: clock).known(name) != nil else { throw Problem.notFound }
        let pin = try pin(in: body)
        do {
            let outcome = try await DrawerKick(journal, clock: clock).open(name, pin: pin, of: incoming.account)
            var writer = JSONWriter()
            writer.beginObject()
            writer.field("asked", outcome.isHandedOver)
            writer.field("message", outcome.drawerSentence)
            writer.endObject()
            return .json(writer.bytes)
        } catch let error as JournalError { throw error } catch let error as any ExplainedError {
            throw Problem(.conflict, error.code, error.what, next: error.next)
        }
    }

    private func pin(in body: JSONValue) throws -> Int {
        guard let value = body["pin"], !value.isNull else { return DrawerKick.usualPin }
        guard let pin = value.int64Value, pin == 2 || pin == 5 else { throw Problem.field("pin", "It must be 2 or 5.") }
        return Int(pin)
    }
}
