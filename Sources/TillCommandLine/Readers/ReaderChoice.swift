import TillCore
import TillCounter
import TillProvider

extension ReaderChoice {
    /// The value of `--reader` that selects it.
    static let word = "connected"

    /// Returns the reader chosen with `till readers connect`; `nil` if there is none.
    static func read(_ counter: Counter) -> ReaderChoice? { ReaderRegistry(counter.journal).chosen() }
}

extension Counter {
    /// Returns the reader fleet of a command: the chosen provider's, or else that of the only provider with readers.
    func readers() throws -> any ReaderFleet {
        if let chosen = module(options.provider)?.readers { return chosen }
        let fleets = modules.compactMap { module in module.readers.map { (type(of: module).name, $0) } }
        guard fleets.count < 2 else {
            throw CommandError(
                code: "choose_a_provider",
                what: "\(fleets.map(\.0.rawValue).joined(separator: " and ")) have card readers.",
                next: "Say whose with --provider.")
        }
        guard let only = fleets.first else {
            throw CommandError(
                code: "no_readers", what: "No provider of this counter has card readers.",
                next: "Add --provider stripe, with TILL_STRIPE_KEY or with --stripe-url of a sandbox.")
        }
        return only.1
    }

    /// Returns the management of the readers and their locations.
    /// - Throws: ``CommandError`` with the reason if they are not managed here.
    func readerManagement() throws -> any ReaderManagement {
        let fleet = try readers()
        guard let management = fleet.management else {
            throw CommandError(
                code: "unsupported", what: "The readers of \(fleet.provider) are not managed from here.",
                next: "Use the provider's dashboard.")
        }
        return management
    }

    /// Returns the reader with a name, or the connected one.
    func reader(_ name: String?) async throws -> CounterReader {
        let fleet = try readers()
        let named = name == ReaderChoice.word ? nil : name
        if named == nil, ReaderChoice.read(self) == nil, let standing = fleet.standing { return standing }
        let wanted = try chosenReader(name)
        guard let management = fleet.management else { return try await fleet.reader(named: wanted) }
        return try await management.anyReader(named: wanted)
    }

    /// Returns a reader's identification: the name itself, or the identifier of the connected reader.
    func chosenReader(_ name: String?) throws -> String {
        let wanted = name == ReaderChoice.word ? nil : name
        guard let word = wanted ?? ReaderChoice.read(self)?.id else {
            throw CommandError(
                code: "reader_not_connected", what: "No reader was named and none is connected.",
                next: "Name one by its label or id, or connect one: till readers connect.")
        }
        return word
    }
}
