import HTTPTypes
import Hummingbird
package import TillCore
import TillCounter
package import TillJournal
import TillPrinting
import TillReceipts
package import TillWeb

/// `/v1/printers`: the shop's printers, their states, and a test page on each. Adding one has the counter reach its
/// address, so it requires the permission to manage settings; a file with a printer's password stays with the command
/// line.
package struct PrinterRoutes: Sendable {
    /// The maximum body size in bytes. The longest address of which each character is escaped fits well.
    package static let maximumBodyBytes = 32_768
    /// The maximum number of printers that are tested or contacted for their certificate at the same time, by all
    /// accounts.
    static let maximumAtOnce = 8

    private let journal: any CounterStore
    private let clock: any TillClock
    private let store: String
    private let places: AccountPlaces

    private var registry: PrinterRegistry { PrinterRegistry(journal, clock: clock) }

    package init(journal: any CounterStore, clock: any TillClock, options: ServerOptions) {
        self.journal = journal
        self.clock = clock
        store = options.receipts.store.name.plain
        places = AccountPlaces(AccountShares(all: PrinterRoutes.maximumAtOnce, owner: options.account))
    }

    package func register(on router: CounterRouter) {
        let one = "/v1/printers/{name}"
        router.get("/v1/printers", for: .readers, of: .counter) { _ in try await list() }
        router.post(
            "/v1/printers", for: .admin, of: .counter, needs: .settings,
            maximumBodyBytes: PrinterRoutes.maximumBodyBytes
        ) { try await add($0) }
        router.get(one, for: .readers, of: .counter) { try await state(of: try $0.parameters.text("name")) }
        router.on([.delete], one, for: .admin, of: .counter, needs: .settings) {
            try await remove(try $0.parameters.text("name"))
        }
        router.post(
            one + "/test", for: .readers, of: .counter, maximumBodyBytes: PrinterRoutes.maximumBodyBytes
        ) { try await test(try $0.parameters.text("name"), $0) }
    }

    // MARK: Reading

    private func list() async throws -> Response {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("printers")
        writer.beginArray()
        for printer in try await registry.all() { PrinterRoutes.write(printer, into: &writer) }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }

    private static func write(_ printer: KnownPrinter, into writer: inout JSONWriter) {
        let pin = printer.certificate.flatMap { PrinterPin(kept: $0) }
        writer.beginObject()
        writer.field("name", printer.name)
        writer.field("address", printer.address)
        writer.field("profile", printer.profile)
        writer.field("has_drawer", DrawerKick.canOpen(printer))
        writer.field("sha256", pin?.fingerprint)
        writer.field("trust_first", printer.trustsFirst)
        writer.endObject()
    }

    private func state(of name: String) async throws -> Response {
        guard let printer = try await registry.known(name) else { throw Problem.notFound }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("name", printer.name)
        writer.field("profile", printer.profile)
        do {
            let state = try await registry.printer(printer.name).state()
            writer.field("state", state.activity.rawValue)
            writer.field("needs_help", state.needsHelp)
            writer.key("reasons")
            writer.beginArray()
            for reason in state.reasons { writer.string(reason.rawValue) }
            writer.endArray()
            writer.field("message", state.sentence)
        } catch let error as any ExplainedError {
            writer.field("state", "unknown")
            writer.field("needs_help", true)
            writer.key("reasons")
            writer.beginArray()
            writer.endArray()
            writer.field("message", error.what)
        }
        writer.endObject()
        return .json(writer.bytes)
    }

    // MARK: Adding and removing

    private func add(_ incoming: Incoming) async throws -> Response {
        let body = try await incoming.document()
        try body.allow(["name", "address", "profile", "trust_first", "sha256"])
        guard let name = try body.text("name", atMost: NewPrinter.maximumNameBytes) else {
            throw Problem.field("name", "It is missing.")
        }
        guard let address = try body.text("address", atMost: 1_000) else {
            throw Problem.field("address", "It is missing.")
        }
        // Where somebody of this machine reads and types; what is printed there is no receipt.
        guard !address.hasPrefix("/dev/pts/") else {
            throw Problem.field("address", "Terminals of the machine are no printers.")
        }
        var new = NewPrinter(name: name, address: address)
        if let profile = try body.text("profile", atMost: 20) { new.profile = profile }
        if let flag = body["trust_first"], !flag.isNull {
            guard let trusts = flag.boolValue else { throw Problem.field("trust_first", "It must be true or false.") }
            new.trustsFirst = trusts
        }
        new.pin = try body.text("sha256", atMost: 200)
        do {
            let printer = try await places.withPlace(
                of: incoming.account, else: PrinterRoutes.full("This one was not added.")
            ) { try await registry.add(new, replaces: false) }
            var writer = JSONWriter()
            PrinterRoutes.write(printer, into: &writer)
            return .json(writer.bytes, status: .created)
        } catch let error as NewPrinterError { throw PrinterRoutes.problem(error) }
    }

    private static func problem(_ error: NewPrinterError) -> Problem {
        let status: HTTPResponse.Status =
            switch error {
            case .exists, .tooMany: .conflict
            case .name, .address, .profile, .noCertificate, .fingerprint, .credentials: .unprocessableContent
            }
        var problem = Problem(status, error.code, error.what, next: error.next)
        if let field = error.field { problem.errors = [(field, error.what)] }
        return problem
    }

    private func remove(_ name: String) async throws -> Response {
        guard try await registry.known(name) != nil, try await registry.forget(name) else { throw Problem.notFound }
        return Response(status: .noContent)
    }

    // MARK: Testing

    private func test(_ name: String, _ incoming: Incoming) async throws -> Response {
        try (try await incoming.document()).allow([])
        // Only registered printers: an address in a request would give callers access to the shop's network.
        guard try await registry.known(name) != nil else { throw Problem.notFound }
        let outcome = try await places.withPlace(
            of: incoming.account, else: PrinterRoutes.full("This page was not sent to the printer.")
        ) { try await send(to: name) }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("printed", outcome.isHandedOver)
        writer.field("message", PrinterTestPage.sentence(of: outcome))
        writer.endObject()
        return .json(writer.bytes)
    }

    private func send(to name: String) async throws -> PrintOutcome {
        do {
            return try await registry.printer(name).print(
                PrinterTestPage.document(store: store, at: clock.now()), name: PrinterTestPage.name)
        } catch let error as JournalError { throw error } catch let error as any ExplainedError {
            throw Problem(.conflict, error.code, error.what, next: error.next)
        }
    }

    /// - Parameter what: What was not done.
    private static func full(_ what: String) -> Problem {
        Problem(
            .tooManyRequests, "too_many_receipts", "Too many printers are being asked at the same time. \(what)",
            next: "Wait until some have finished."
        ).retrying(after: 10)
    }
}
