import ArgumentParser
import TillCore
import TillPrinting
import TillReceipts

extension Printers {
    struct Discover: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "discover",
            abstract: "Lists printers that announce themselves on the network.")
        @OptionGroup var common: CommonOptions

        func run() async throws {
            guard let found = await PrinterDiscovery.find() else {
                throw Output.fail(
                    CommandError(
                        code: "discovery_not_available", what: "This machine cannot discover printers.",
                        next: "Install and start avahi-daemon and avahi-utils, or give the printer's address."),
                    json: common.json)
            }
            if common.json { return Output.line(Discover.json(found).text) }
            guard !found.isEmpty else {
                return Output.line("No printer announces itself. Give one's address: till printers add NAME ADDRESS")
            }
            Output.line(
                Printers.table(
                    found.map { one in
                        [String(ReceiptText(one.name).plain.prefix(40)), Discover.takes(one), one.address.description]
                    }))
            Output.note("Add one: till printers add NAME ADDRESS")
        }

        /// Returns the format in which a receipt would be sent.
        private static func takes(_ one: PrinterDiscovery.Found) -> String {
            guard case .ipp = one.address else { return "ESC/POS" }
            let formats = one.facts["pdl"]?.split(separator: ",").map(String.init) ?? []
            return PrintFormat.allCases.first { formats.contains($0.rawValue) }?.word ?? "-"
        }

        private static func json(_ found: [PrinterDiscovery.Found]) -> JSONValue {
            let all = found.map { one -> JSONValue in
                func fact(_ key: String) -> JSONValue { one.facts[key].map { .string($0) } ?? .null }
                return .object([
                    JSONMember(key: "name", value: .string(one.name)),
                    JSONMember(key: "address", value: .string(one.address.description)),
                    JSONMember(key: "model", value: fact("ty")),
                    JSONMember(key: "place", value: fact("note")),
                    JSONMember(key: "formats", value: fact("pdl")),
                ])
            }
            return .object([JSONMember(key: "printers", value: .array(all))])
        }
    }
}

extension PrintFormat {
    var word: String {
        switch self {
        case .pdf: "PDF"
        case .pwgRaster: "PWG raster"
        case .jpeg: "JPEG"
        }
    }
}
