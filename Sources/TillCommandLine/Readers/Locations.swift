import ArgumentParser
import TillCore
import TillCounter
import TillProvider

/// `till locations …`: manages the locations of card readers.
struct Locations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locations",
        abstract: "Manages the locations of card readers.",
        subcommands: [List.self, Create.self, Update.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the places.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions

        func run() async throws {
            try await withCounter(common, provider) { counter in
                let places = try await counter.readerManagement().locations()
                if common.json { return Output.line(ReaderLine.list("locations", places.map { ReaderLine.json($0) })) }
                let rows = places.map { place in
                    let city = [place.address.city, place.address.country].compactMap { $0 }.joined(separator: ", ")
                    return [place.id, place.displayName, city]
                }
                TextTable.lines(rows).forEach { Output.line($0) }
                if places.isEmpty { Output.line("No locations. Make one: till locations create --help") }
            }
        }
    }

    /// The options of an address.
    struct AddressOptions: ParsableArguments {
        @Option(name: .long, help: "Street and number.") var line1: String?
        @Option(name: .long, help: "Floor, door.") var line2: String?
        @Option(name: .long, help: "City.") var city: String?
        @Option(name: .long, help: "State, province or county.") var state: String?
        @Option(name: .long, help: "Postal code.") var postalCode: String?
        @Option(name: .long, help: "Country, two letters, such as CA.") var country: String?

        var address: ReaderLocation.Address? {
            country.map {
                ReaderLocation.Address(
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
                        code: "country_missing", what: "A location needs a country.",
                        next: "Add --country, such as CA.")
                }
                return try await counter.readerManagement().createLocation(name, address)
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
                try await counter.readerManagement().updateLocation(location, name: name, address: options.address)
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Deletes a location that has no readers.")
        @OptionGroup var common: CommonOptions
        @OptionGroup var provider: ProviderOptions
        @Argument(help: "Its id, tml_…") var location: String

        func run() async throws {
            try await withCounter(common, provider) { counter in
                try await counter.readerManagement().removeLocation(location)
                Output.line(common.json ? ReaderLine.list("removed", [.string(location)]) : "\(location) is removed.")
            }
        }
    }
}

private func show(
    _ common: CommonOptions, _ provider: ProviderOptions, _ body: (Counter) async throws -> ReaderLocation
) async throws {
    try await withCounter(common, provider) { counter in
        let place = try await body(counter)
        Output.line(common.json ? ReaderLine.json(place).text : "\(place.id)  \(place.displayName)")
    }
}
