import Synchronization
import TillCore
import TillSandbox

/// Locations, configurations and connection tokens.
extension SandboxTerminal {
    func createLocation(_ form: StripeForm, _ owner: String) -> StripeAnswer {
        guard let name = form["display_name"], !name.isEmpty else {
            return .invalid("display_name", "Missing required param: display_name.", code: "parameter_missing")
        }
        guard let country = form["address[country]"]?.uppercased(), country.utf8.count == 2 else {
            return .invalid("address[country]", "Missing required param: address[country].", code: "parameter_missing")
        }
        guard SandboxTestCard.mayHaveReaders(country) else {
            return .invalid(
                "address[country]", "Terminal is not available in \(country).",
                code: "terminal_location_country_unsupported")
        }
        guard form["address[line1]"]?.isEmpty == false else {
            return .invalid("address[line1]", "Missing required param: address[line1].", code: "parameter_missing")
        }
        return state.withLock { state in
            guard state.locations.count < SandboxTerminal.maximumThings else { return SandboxTerminal.full }
            let (id, order) = SandboxTerminal.identifier("tml", &state)
            var thing = Thing(
                id: id, owner: owner, order: order,
                fields: [
                    JSONMember(key: "id", value: .string(id)),
                    JSONMember(key: "object", value: .string("terminal.location")),
                    JSONMember(key: "livemode", value: .bool(false)),
                    JSONMember(key: "address_kana", value: .null), JSONMember(key: "address_kanji", value: .null),
                    JSONMember(key: "display_name_kana", value: .null),
                    JSONMember(key: "display_name_kanji", value: .null),
                ])
            SandboxTerminal.fill(&thing, form)
            state.locations[id] = thing
            return StripeAnswer(thing.json)
        }
    }

    private static func fill(_ thing: inout Thing, _ form: StripeForm) {
        let names = ["city", "country", "line1", "line2", "postal_code", "state"]
        let given = form.members(of: "address")
        let before = thing["address"]
        thing["address"] = .object(
            names.map { JSONMember(key: $0, value: given[$0].map { .string($0) } ?? before?[$0] ?? .null) })
        if let name = form["display_name"] { thing["display_name"] = .string(name) }
        if let phone = form["phone"] ?? (thing["phone"] == nil ? "" : nil) {
            thing["phone"] = phone.isEmpty ? .null : .string(phone)
        }
        if let override = form["configuration_overrides"] ?? (thing["configuration_overrides"] == nil ? "" : nil) {
            thing["configuration_overrides"] = override.isEmpty ? .null : .string(override)
        }
        let metadata = form.members(of: "metadata")
        if thing["metadata"] == nil || !metadata.isEmpty { thing["metadata"] = .map(metadata) }
    }

    func location(_ id: String, _ request: SandboxStripe.Request, _ owner: String) -> StripeAnswer {
        state.withLock { state in
            guard var thing = state.locations[id], thing.owner == owner else { return .missing("location", id) }
            switch request.method {
            case "POST":
                SandboxTerminal.fill(&thing, request.form)
                state.locations[id] = thing
            case "DELETE":
                guard !state.readers.values.contains(where: { $0.location == id }) else {
                    return .invalid("location", "This location still has readers.")
                }
                state.locations[id] = nil
                return SandboxTerminal.deleted(id, "terminal.location")
            default: break
            }
            return StripeAnswer(thing.json)
        }
    }

    func createConfiguration(_ form: StripeForm, _ owner: String) -> StripeAnswer {
        state.withLock { state in
            guard state.configurations.count < SandboxTerminal.maximumThings else { return SandboxTerminal.full }
            let (id, order) = SandboxTerminal.identifier("tmc", &state)
            var thing = Thing(
                id: id, owner: owner, order: order,
                fields: [
                    JSONMember(key: "id", value: .string(id)),
                    JSONMember(key: "object", value: .string("terminal.configuration")),
                    JSONMember(key: "livemode", value: .bool(false)),
                    JSONMember(key: "is_account_default", value: .bool(false)),
                ])
            SandboxTerminal.configure(&thing, form)
            state.configurations[id] = thing
            return StripeAnswer(thing.json)
        }
    }

    private static func configure(_ thing: inout Thing, _ form: StripeForm) {
        if let name = form["name"] { thing["name"] = .string(name) }
        if let enabled = form["offline[enabled]"] {
            thing["offline"] = .fields(["enabled": .bool(enabled == "true")])
        }
        if let start = form["reboot_window[start_hour]"].flatMap({ Int64($0) }),
            let end = form["reboot_window[end_hour]"].flatMap({ Int64($0) })
        {
            thing["reboot_window"] = .fields(["start_hour": .int(start), "end_hour": .int(end)])
        }
        var tipping: [String: [JSONMember]] = [:]
        for field in form.fields where field.name.hasPrefix("tipping[") {
            let parts = field.name.split(whereSeparator: { $0 == "[" || $0 == "]" }).map(String.init)
            guard parts.count >= 3, let value = Int64(field.value) else { continue }
            var members = tipping[parts[1]] ?? []
            if parts.count == 3 {
                members.append(JSONMember(key: parts[2], value: .int(value)))
            } else if let index = members.firstIndex(where: { $0.key == parts[2] }) {
                members[index].value = .array((members[index].value.arrayValue ?? []) + [.int(value)])
            } else {
                members.append(JSONMember(key: parts[2], value: .array([.int(value)])))
            }
            tipping[parts[1]] = members
        }
        if !tipping.isEmpty {
            thing["tipping"] = .object(
                tipping.sorted { $0.key < $1.key }.map { JSONMember(key: $0.key, value: .object($0.value)) })
        }
    }

    func listConfigurations(_ form: StripeForm, _ owner: String, _ path: [String]) -> StripeAnswer {
        list(\.configurations, form, owner, path) { thing in
            form["is_account_default"].map { ($0 == "true") == thing["is_account_default"]?.boolValue } ?? true
        }
    }

    func configuration(_ id: String, _ request: SandboxStripe.Request, _ owner: String) -> StripeAnswer {
        state.withLock { state in
            guard var thing = state.configurations[id], thing.owner == owner else {
                return .missing("configuration", id)
            }
            switch request.method {
            case "POST":
                SandboxTerminal.configure(&thing, request.form)
                state.configurations[id] = thing
            case "DELETE":
                state.configurations[id] = nil
                return SandboxTerminal.deleted(id, "terminal.configuration")
            default: break
            }
            return StripeAnswer(thing.json)
        }
    }

    func token(_ form: StripeForm, _ owner: String) -> StripeAnswer {
        if let location = form["location"] {
            guard state.withLock({ $0.locations[location]?.owner == owner }) else {
                return .missing("location", location)
            }
        }
        let secret = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined()
        return StripeAnswer(
            .fields([
                "object": .string("terminal.connection_token"), "location": .text(form["location"]),
                "secret": .string("pst_test_\(secret)"),
            ]))
    }
}
