import HTTPTypes
import Hummingbird
import TillBooks
import TillCore
import TillCounter
package import TillJournal
import TillProvider
package import TillWeb
import TillStatements

/// `/v1/reconciliation`: the differences between provider statements and the journal, and the import of statements.
package struct ReconciliationRoutes: Sendable {
    package let payments: PaymentRequests
    package let journal: any CounterStore
    private let importer: StatementImporter
    private let audience: IncidentAudience

    package init(payments: PaymentRequests, journal: any CounterStore, importer: StatementImporter) {
        (self.payments, self.journal, self.importer) = (payments, journal, importer)
        audience = IncidentAudience(journal: journal, own: payments.options.account)
    }

    package func register(on router: CounterRouter) {
        router.get("/v1/reconciliation", for: .read, of: .caller, needs: .review) { try await list($0) }
        router.on(
            [.post], "/v1/reconciliation/statements", for: .admin, of: .caller, needs: .review,
            query: ["provider", "format", "provider_account"],
            maximumBodyBytes: StatementImporter.maximumBytes
        ) { try await add($0) }
    }

    private func list(_ incoming: Incoming) async throws -> Response {
        var shown: [Incident] = []
        for incident in try await Reconciliation.open(journal)
        where try await audience.concerns(incident, incoming.account) {
            shown.append(incident)
        }
        var writer = JSONWriter(reserving: 512)
        writer.beginObject()
        writer.field("open", shown.count)
        writer.key("breaks")
        writer.beginArray()
        for incident in shown {
            writer.beginObject()
            writer.field("id", incident.id)
            writer.field("provider", incident.provider.rawValue)
            writer.field("payment", incident.payment.rawValue.isEmpty ? nil : incident.payment.rawValue)
            writer.field("at", incident.at.description)
            writer.field("what", incident.description)
            writer.endObject()
        }
        writer.endArray()
        writer.key("formats")
        writer.beginArray()
        for form in payments.options.statementForms {
            writer.beginObject()
            writer.field("provider", form.provider.rawValue)
            writer.field("format", form.format.name)
            writer.endObject()
        }
        writer.endArray()
        writer.field("maximum_bytes", StatementImporter.maximumBytes)
        writer.field("maximum_lines", StatementImporter.maximumLines)
        writer.endObject()
        return .json(writer.bytes)
    }

    // MARK: Statements

    private func add(_ incoming: Incoming) async throws -> Response {
        guard audience.isOwn(incoming.account) else { throw ReconciliationRoutes.notTheShop }
        var file = StatementFile("The file", [])
        try read(incoming, into: &file)
        try importer.begin()
        defer { importer.end() }
        do { file.bytes = Array(try await incoming.bytes().readableBytesView) } catch let problem as Problem {
            throw problem.code == Problem.tooLarge.code ? ReconciliationRoutes.tooLarge : problem
        }
        let (statement, found) = try await importer.add(file, for: incoming.account)
        var writer = JSONWriter(reserving: 256)
        writer.beginObject()
        writer.field("provider", statement.provider.rawValue)
        writer.field("provider_account", statement.providerAccount)
        writer.field("lines", statement.lines.count)
        ReconciliationJSON.members(of: found, into: &writer)
        writer.field("open", found.open)
        writer.endObject()
        return .json(writer.bytes)
    }

    /// Reads the file's properties from the query.
    private func read(_ incoming: Incoming, into file: inout StatementFile) throws {
        let forms = payments.options.statementForms
        if let name = try incoming.query("provider") {
            guard forms.contains(where: { $0.provider.rawValue == name }) else {
                let known = Set(forms.map(\.provider.rawValue)).sorted().joined(separator: ", ")
                throw Problem.field("provider", "No statements of it are known here. There are: \(known).")
            }
            file.provider = ProviderName(rawValue: name)
        }
        if let name = try incoming.query("format") {
            guard forms.contains(where: { $0.format.name == name }) else {
                let known = forms.map(\.format.name).joined(separator: ", ")
                throw Problem.field("format", "There is no such format. There are: \(known).")
            }
            file.format = name
        }
        guard let account = try incoming.query("provider_account") else { return }
        guard (1...128).contains(account.utf8.count), account.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw Problem.field("provider_account", "It must be 1 to 128 visible ASCII characters.")
        }
        file.providerAccount = account
    }

    private static let notTheShop = Problem(
        .forbidden, "not_the_shops_account",
        "A statement is of the whole account at the provider. Nothing was imported.",
        next: "Import it with a key of the shop itself.")

    private static let tooLarge = Problem(
        .contentTooLarge, "body_too_large",
        "The statement has more than \(StatementImporter.maximumBytes) bytes. Nothing was imported or "
            + "posted.",
        next: "Split it by day: export the report for a shorter time. till reconcile FILE takes four times as much.")
}
