import Synchronization
import TillCore
import TillSandbox

/// Reader management, and the controls for tests.
extension SandboxTerminal {
    func register(_ form: StripeForm, _ owner: String) -> StripeAnswer {
        guard let code = form["registration_code"], !code.isEmpty else {
            return .invalid(
                "registration_code", "Missing required param: registration_code.", code: "parameter_missing")
        }
        guard let type = SandboxReader.codes[code] else {
            return .invalid(
                "registration_code", "No reader with this registration code was found.",
                code: "registration_code_invalid")
        }
        return state.withLock { state in
            guard state.readers.count < SandboxTerminal.maximumThings else { return SandboxTerminal.full }
            let location = form["location"].flatMap { $0.isEmpty ? nil : $0 }
            if let location, state.locations[location]?.owner != owner { return .missing("location", location) }
            let (id, order) = SandboxTerminal.identifier("tmr", &state)
            let reader = SandboxReader(
                id: id, owner: owner, order: order,
                label: form["label"].flatMap { $0.isEmpty ? nil : $0 } ?? "Simulated reader \(order)",
                deviceType: type, serial: "SIMULATOR-\(StableHash.hex(id).prefix(8).uppercased())",
                location: location, metadata: form.members(of: "metadata"))
            state.readers[id] = reader
            return StripeAnswer(reader.json(at: now))
        }
    }

    func listReaders(_ form: StripeForm, _ owner: String) -> StripeAnswer {
        let now = now
        sweep()
        let all = state.withLock { $0.readers.values.filter { $0.owner == owner } }
            .filter { reader in
                func fits(_ name: String, _ value: String?) -> Bool { form[name].map { $0 == value } ?? true }
                return fits("device_type", reader.deviceType) && fits("location", reader.location)
                    && fits("serial_number", reader.serial)
                    && fits("status", reader.isReachable(at: now) ? "online" : "offline")
            }.sorted { $0.order > $1.order }
        return page(all.map { ($0.id, $0.json(at: now)) }, form, ["v1", "terminal", "readers"])
    }

    func oneReader(_ id: String, _ request: SandboxStripe.Request, _ owner: String) -> StripeAnswer {
        sweep()
        return state.withLock { state in
            guard var reader = state.readers[id], reader.owner == owner else { return .missing("reader", id) }
            switch request.method {
            case "POST":
                if let label = request.form["label"] { reader.label = label.isEmpty ? reader.serial : label }
                reader.metadata.merge(request.form.members(of: "metadata")) { $1 }
                state.readers[id] = reader
            case "DELETE":
                state.readers[id] = nil
                return SandboxTerminal.deleted(id, "terminal.reader")
            default: break
            }
            return StripeAnswer(reader.json(at: now))
        }
    }

    /// Ends actions that have waited for a customer too long.
    func sweep() {
        let now = now
        let ended = state.withLock { state -> [SandboxReader] in
            var ended: [SandboxReader] = []
            for (id, reader) in state.readers {
                guard var action = reader.action, action.isRunning, !action.isWorking,
                    now.since(action.startedAt) >= SandboxTerminal.collectionTime
                else { continue }
                action.fail("terminal_reader_timeout", "Nobody used the reader in time.")
                state.readers[id]?.action = action
                if let reader = state.readers[id] { ended.append(reader) }
            }
            return ended.sorted { $0.order < $1.order }
        }
        for reader in ended { tell("terminal.reader.action_failed", reader) }
    }

    func setCardTime(_ span: Span) { state.withLock { $0.cardTime = span } }

    /// Handles `POST /_sandbox/readers`, which controls a reader.
    ///
    /// `{"reader": "tmr_… or label", "do": …}` with `answer` (the issuer responds now), `customer_cancel`, `offline`,
    /// `online`, `reboot`, `remove_card`, or `fault` and `"fault": "timeout_before" | "timeout_after" | "hardware" |
    /// "lost"`. Without a reader, `{"do": "card_time", "milliseconds": 500}` sets the time from presenting a card to
    /// the issuer's response.
    func act(_ json: JSONValue) -> StripeAnswer {
        let word = json["do"]?.stringValue ?? ""
        if word == "card_time" {
            let span = min(max(json["milliseconds"]?.int64Value ?? 0, 0), 60_000)
            setCardTime(.milliseconds(span))
            return StripeAnswer(.fields(["ok": .bool(true)]))
        }
        let name = json["reader"]?.stringValue ?? ""
        let now = now
        let changed: (reader: SandboxReader, event: String?)? = state.withLock { state in
            let found = state.readers[name] ?? state.readers.values.first { $0.label == name || $0.serial == name }
            guard var reader = found else { return nil }
            var event: String?
            func end(_ code: String, _ message: String) {
                guard var action = reader.action, action.isRunning, !action.isWorking else { return }
                action.fail(code, message)
                reader.action = action
                event = "terminal.reader.action_failed"
            }
            switch word {
            case "answer":
                guard let action = reader.action, action.isWorking else { return nil }
                respond(reader.id, action.number)
            case "customer_cancel":
                guard reader.action?.customerCancels == true else { return nil }
                end("customer_canceled", "The customer canceled.")
            case "offline": reader.isOffline = true
            case "online": (reader.isOffline, reader.restartsUntil) = (false, nil)
            case "reboot":
                reader.restartsUntil = now.adding(SandboxTerminal.restartTime)
                end("terminal_reader_offline", "The reader restarts.")
            case "remove_card": end("card_removed", "The card was taken out too early.")
            case "fault": reader.fault = json["fault"]?.stringValue.flatMap { SandboxReader.Fault(rawValue: $0) }
            default: return nil
            }
            state.readers[reader.id] = reader
            return (reader, event)
        }
        guard let changed else { return .invalid("do", "Wanted: reader and do, one that the reader allows now.") }
        if let event = changed.event { tell(event, changed.reader) }
        return StripeAnswer(changed.reader.json(at: now))
    }
}
