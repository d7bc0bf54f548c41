internal import TillCore
internal import TillProvider

/// Management of Stripe's readers, registered with their displayed code, and of their locations.
extension StripeReaders: ReaderManagement {
    func readers(at location: String?) async throws(ReaderError) -> [CounterReader] {
        try await asking { () async throws(StripeTerminalError) in
            try await api.readers(TerminalReaderFilter(location: location)).map { CounterReader($0) }
        }
    }

    func anyReader(named name: String) async throws(ReaderError) -> CounterReader {
        try await asking { () async throws(StripeTerminalError) in CounterReader(try await api.reader(named: name)) }
    }

    func register(code: String, label: String?, location: String?) async throws(ReaderError) -> CounterReader {
        try await asking { () async throws(StripeTerminalError) in
            CounterReader(
                try await api.register(code: code, label: label, location: location, key: .once("register")))
        }
    }

    func rename(_ id: String, to label: String) async throws(ReaderError) -> CounterReader {
        try await asking { () async throws(StripeTerminalError) in
            CounterReader(try await api.rename(id, to: label, key: .once("rename")))
        }
    }

    func remove(_ id: String) async throws(ReaderError) {
        try await asking { () async throws(StripeTerminalError) in try await api.deleteReader(id) }
    }

    func display(_ order: Order?, at id: String) async throws(ReaderError) -> CounterReader {
        let found = try await smart { () async throws(StripeTerminalError) in try await api.reader(id) }
        // A cart takes the reader's only slot and would end a sale waiting there.
        try StripeReaders.requireFree(found)
        guard let order else { return try await cancel(id) }
        let cart: TerminalCart
        do throws(MoneyError) { cart = try TerminalCart(order) } catch {
            throw ReaderError(
                .invalid(field: "order"), code: "invalid_amount", "Stripe cannot express the amounts of this order.",
                next: "Correct the order.")
        }
        return try await asking { () async throws(StripeTerminalError) in
            CounterReader(try await api.display(cart, at: id, key: .once("display")))
        }
    }

    /// Sets the reboot window in the configuration of a location; a location without its own configuration gets one.
    func setRebootWindow(_ window: RebootWindow, at location: String) async throws(ReaderError) {
        let hours = TerminalRebootWindow(startHour: window.start, endHour: window.end)
        try await asking { () async throws(StripeTerminalError) in
            if let known = try await api.location(location).configuration {
                _ = try await api.updateConfiguration(
                    known, TerminalConfigurationDraft(rebootWindow: hours), key: .once("configuration"))
                return
            }
            let made = try await api.createConfiguration(
                TerminalConfigurationDraft(name: "Till \(location)", rebootWindow: hours), key: .once("configuration"))
            _ = try await api.updateLocation(
                location, TerminalLocationDraft(configuration: made.id), key: .once("location"))
        }
    }

    func locations() async throws(ReaderError) -> [ReaderLocation] {
        try await asking { () async throws(StripeTerminalError) in
            try await api.locations().map { ReaderLocation($0) }
        }
    }

    func createLocation(
        _ name: String, _ address: ReaderLocation.Address
    ) async throws(ReaderError) -> ReaderLocation {
        let draft = TerminalLocationDraft(displayName: name, address: address)
        return try await asking { () async throws(StripeTerminalError) in
            ReaderLocation(try await api.createLocation(draft, key: .once("location")))
        }
    }

    func updateLocation(
        _ id: String, name: String?, address: ReaderLocation.Address?
    ) async throws(ReaderError) -> ReaderLocation {
        let draft = TerminalLocationDraft(displayName: name, address: address)
        return try await asking { () async throws(StripeTerminalError) in
            ReaderLocation(try await api.updateLocation(id, draft, key: .once("location")))
        }
    }

    func removeLocation(_ id: String) async throws(ReaderError) {
        try await asking { () async throws(StripeTerminalError) in try await api.deleteLocation(id) }
    }
}

extension ReaderLocation {
    init(_ location: TerminalLocation) {
        self.init(
            id: location.id, displayName: location.displayName, address: location.address,
            configuration: location.configuration)
    }
}
