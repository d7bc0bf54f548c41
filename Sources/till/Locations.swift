import ArgumentParser
import TillCore
import TillServer
import TillStripe

/// `till locations …`: manages the locations of card readers.
struct Locations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locations",
        abstract: "Manages the places where card readers stand.",
        subcommands: [List.self, Create.self, Update.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the places.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let places = try await counter.readers().locations()
                if common.json { return Output.line(ReaderLine.list("locations", places.map { ReaderLine.json($0) })) }
                for place in places {
                    let city = [place.address.city, place.address.country].compactMap { $0 }.joined(separator: ", ")
                    Output.line("\(place.id)  \(place.displayName)  \(city)")
                }
                if places.isEmpty { Output.line("No locations. Make one: till locations create --help") }
            }
        }
    }

    /// The parts of an address.
    struct AddressOptions: ParsableArguments {
        @Option(name: .long, help: "Street and number.") var line1: String?
        @Option(name: .long, help: "Floor, door.") var line2: String?
        @Option(name: .long, help: "City.") var city: String?
        @Option(name: .long, help: "State, province or county.") var state: String?
        @Option(name: .long, help: "Postal code.") var postalCode: String?
        @Option(name: .long, help: "Country, two letters, as CA.") var country: String?

        var address: TerminalAddress? {
            country.map {
                TerminalAddress(
                    line1: line1, line2: line2, city: city, state: state, country: $0, postalCode: postalCode)
            }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "create", abstract: "Makes a place.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var options: AddressOptions
        @Option(name: .long, help: "What to call it.") var name: String

        func run() async throws {
            try await show(common, provider) { counter in
                guard let address = options.address else {
                    throw CommandError(
                        code: "country_missing", what: "A place needs a country.", next: "Add --country, as CA.")
                }
                return try await counter.readers().createLocation(
                    TerminalLocationDraft(displayName: name, address: address), key: .once("location"))
            }
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "update", abstract: "Changes a place.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @OptionGroup var options: AddressOptions
        @Argument(help: "Its id, tml_…") var location: String
        @Option(name: .long, help: "The new name.") var name: String?

        func run() async throws {
            try await show(common, provider) { counter in
                try await counter.readers().updateLocation(
                    location, TerminalLocationDraft(displayName: name, address: options.address),
                    key: .once("location"))
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Takes a place away that has no readers.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its id, tml_…") var location: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                try await counter.readers().deleteLocation(location)
                Output.line(common.json ? ReaderLine.list("removed", [.string(location)]) : "\(location) is removed.")
            }
        }
    }
}

private func show(
    _ common: CommonOptions, _ provider: ProviderOptions, _ body: (Counter) async throws -> TerminalLocation
) async throws {
    try await withCounter(common, provider) { counter in
        let place = try await body(counter)
        Output.line(common.json ? ReaderLine.json(place).text : "\(place.id)  \(place.displayName)")
    }
}
