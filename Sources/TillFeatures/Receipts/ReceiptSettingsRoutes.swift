import Foundation
import Hummingbird
import TillCanvas
import TillCore
import TillCounter
import TillReceipts
package import TillWeb

/// `/v1/settings/receipts`: what is set for receipts, the languages that they can be drawn in, and a sample in each.
package struct ReceiptSettingsRoutes: Sendable {
    private static let preview: QueryParameters = ["language", "format", "width", "copy"]

    private let receipts: ReceiptSetup
    private let mode: PaymentMode

    package init(options: ServerOptions) { (receipts, mode) = (options.receipts, options.mode) }

    package func register(on router: CounterRouter) {
        router.get("/v1/settings/receipts", for: .admin, of: .counter, needs: .settings) { _ in await standing() }
        router.get(
            "/v1/settings/receipts/preview", for: .admin, of: .counter, needs: .settings,
            query: ReceiptSettingsRoutes.preview
        ) { try await sample($0) }
    }

    private func standing() async -> Response {
        // Fonts are looked up on the disk, so keep it off the event loop.
        let drawing = await Task.detached { Drawing() }.value
        let store = receipts.store
        var writer = JSONWriter(reserving: 1_024)
        writer.beginObject()
        writer.field("store", store.name.plain)
        write("address", store.address, into: &writer)
        writer.field("phone", store.phone?.plain)
        writer.field("tax_id", store.taxID?.plain)
        writer.field("country", store.region)
        writer.field("time_zone", store.timeZone.identifier)
        write("closing", store.closing, into: &writer)
        writer.field("locale", receipts.locale.identifier)
        writer.field("language", ReceiptLabels(receipts.locale).language)
        writer.field("online_at", receipts.url)
        writer.field("mailed_from", receipts.mail?.from.text)
        writer.field("mode", mode.rawValue)
        writer.key("missing")
        writer.beginArray()
        for field in store.missingFields { writer.string(field.rawValue) }
        writer.endArray()
        writer.key("languages")
        writer.beginArray()
        for language in ReceiptLabels.languages {
            let packages = drawing.packages[language]
            writer.beginObject()
            writer.field("language", language)
            writer.field("drawn", packages?.isEmpty ?? false)
            writer.key("packages")
            writer.beginArray()
            for name in packages ?? CanvasError.packages { writer.string(name) }
            writer.endArray()
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }

    private func write(_ name: String, _ lines: [ReceiptText], into writer: inout JSONWriter) {
        writer.key(name)
        writer.beginArray()
        for line in lines { writer.string(line.plain) }
        writer.endArray()
    }

    /// Returns a sample receipt with the shop's header and footer. It says of itself that it is none.
    private func sample(_ incoming: Incoming) async throws -> Response {
        guard let format = ReceiptForm.Format(rawValue: try incoming.query("format") ?? "html") else {
            let known = ReceiptForm.Format.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem.field("format", "It must be one of \(known).")
        }
        guard let copy = ReceiptCopy(rawValue: try incoming.query("copy") ?? "customer") else {
            throw Problem.field("copy", "It must be customer or merchant.")
        }
        let width = try incoming.query("width") ?? "80"
        let form: ReceiptForm
        do throws(ReceiptFormError) { form = try ReceiptForm(format, width: width) } catch {
            throw Problem.field("width", error.next)
        }
        var content = ReceiptSample.sale.content(
            store: receipts.store, locale: try locale(try incoming.query("language")))
        content.copy = copy
        return try await form.response(content)
    }

    /// Returns the shop's locale, or another language in its country.
    private func locale(_ language: String?) throws(Problem) -> Locale {
        guard let language, language != ReceiptLabels(receipts.locale).language else { return receipts.locale }
        guard ReceiptLabels.languages.contains(language) else {
            throw Problem.field(
                "language", "It must be one of \(ReceiptLabels.languages.joined(separator: ", ")).")
        }
        return Locale(identifier: receipts.store.region.map { "\(language)_\($0)" } ?? language)
    }
}

/// The packages that each language of receipts lacks on this machine; a language that cannot be checked is missing.
private struct Drawing: Sendable {
    var packages: [String: [String]] = [:]

    init() {
        guard let languages = try? Canvas().languages() else { return }
        for one in languages { packages[one.language] = Script.packages(for: one.missing) }
    }
}
