import TillCore
import TillHardware
import TillProvider

/// A reader, what it says, or a location in command output.
enum ReaderLine {
    static func text(_ event: CardReaderEvent) -> String {
        let words = event.message ?? event.type.rawValue.replacing("_", with: " ")
        return event.percent.map { "\(words) \($0) %" } ?? words
    }

    /// Returns the reader's row in a table: identifier, label, kind, network, location, and what it does.
    static func cells(_ reader: CounterReader, isConnected: Bool) -> [String] {
        let action = reader.action.map { "\($0.kind) \($0.status.rawValue)" }
        return [
            reader.id, reader.label, reader.deviceType,
            reader.needsPhone ? "on a phone" : reader.status?.rawValue ?? "unknown",
            reader.location ?? "no location",
            [action, isConnected ? "connected" : nil].compactMap(\.self).joined(separator: "  "),
        ]
    }

    static func details(_ reader: CounterReader, isConnected: Bool) -> String {
        var lines = [
            "\(reader.label) (\(reader.id))", "  kind      \(reader.deviceType)",
            "  serial    \(reader.serialNumber ?? "unknown")",
            "  network   \(reader.status?.rawValue ?? "unknown")" + (reader.ipAddress.map { ", \($0)" } ?? ""),
            "  location  \(reader.location ?? "none")", "  software  \(reader.softwareVersion ?? "unknown")",
        ]
        if let seen = reader.lastSeenAt { lines.append("  seen      \(seen)") }
        if let action = reader.action {
            lines.append("  action    \(action.kind) \(action.status.rawValue)")
            if let code = action.failureCode { lines.append("            \(code): \(action.failureMessage ?? "")") }
            for input in action.answers {
                lines.append(
                    "            \(input.kind): "
                        + "\(input.isSkipped ? "skipped" : input.text ?? input.value ?? "no answer")"
                )
            }
        }
        if isConnected { lines.append("  This counter uses it by default.") }
        return lines.flatMap { TextTable.fitted($0) }.joined(separator: "\n")
    }

    static func json(_ reader: CounterReader, isConnected: Bool = false) -> JSONValue {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        var action = JSONValue.null
        if let now = reader.action {
            action = .object([
                JSONMember(key: "type", value: .string(now.kind)),
                JSONMember(key: "status", value: .string(now.status.rawValue)),
                JSONMember(key: "failure_code", value: text(now.failureCode)),
                JSONMember(key: "payment_intent", value: text(now.payment?.rawValue)),
            ])
        }
        return .object([
            JSONMember(key: "id", value: .string(reader.id)), JSONMember(key: "label", value: .string(reader.label)),
            JSONMember(key: "serial_number", value: text(reader.serialNumber)),
            JSONMember(key: "device_type", value: .string(reader.deviceType)),
            JSONMember(key: "status", value: text(reader.status?.rawValue)),
            JSONMember(key: "location", value: text(reader.location)),
            JSONMember(key: "software", value: text(reader.softwareVersion)),
            JSONMember(key: "connected", value: .bool(isConnected)), JSONMember(key: "action", value: action),
        ])
    }

    static func json(_ place: ReaderLocation) -> JSONValue {
        func text(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }
        return .object([
            JSONMember(key: "id", value: .string(place.id)),
            JSONMember(key: "display_name", value: .string(place.displayName)),
            JSONMember(key: "line1", value: text(place.address.line1)),
            JSONMember(key: "city", value: text(place.address.city)),
            JSONMember(key: "state", value: text(place.address.state)),
            JSONMember(key: "postal_code", value: text(place.address.postalCode)),
            JSONMember(key: "country", value: .string(place.address.country)),
            JSONMember(key: "configuration", value: text(place.configuration)),
        ])
    }

    static func list(_ name: String, _ values: [JSONValue]) -> String {
        JSONValue.object([JSONMember(key: name, value: .array(values))]).text
    }
}
