import TillCore

/// Recordings in JSON: one document or one per line; commands and responses side by side in an object, or one object
/// per message with its direction.
enum TranscriptJSON {
    /// Returns the messages; `nil` if the text is not JSON or contains none.
    static func read(_ text: String) -> TranscriptAssembler? {
        let start = text.unicodeScalars.first { !$0.properties.isWhitespace }
        guard start == "{" || start == "[" else { return nil }
        var assembler = TranscriptAssembler()
        var number = 0
        if let document = JSONValue(ifValid: Array(text.utf8)) {
            walk(document, &assembler, &number, depth: 0)
        } else {
            for line in text.split(whereSeparator: \.isNewline) {
                guard let document = JSONValue(ifValid: Array(line.utf8)) else { return nil }
                walk(document, &assembler, &number, depth: 0)
            }
        }
        assembler.finish()
        return assembler.messages.isEmpty ? nil : assembler
    }

    private static let commandKeys: Set<String> = [
        "command", "cmd", "capdu", "commandapdu", "apdu", "request", "req", "requestapdu", "send", "sent", "tx", "c",
        "query",
        "terminal", "reader", "in", "input",
    ]
    private static let answerKeys: Set<String> = [
        "response", "resp", "rapdu", "responseapdu", "answer", "recv", "received", "receive", "rx", "r", "reply",
        "result",
        "rsp", "res", "card", "out", "output",
    ]
    private static let statusKeys: Set<String> = ["sw", "status", "sw1sw2", "statusword"]
    private static let directionKeys: Set<String> = [
        "direction", "dir", "type", "side", "kind", "from", "source", "sender", "role",
    ]
    private static let dataKeys: Set<String> = ["data", "hex", "bytes", "payload", "raw", "apdu", "value", "message"]

    private static func walk(
        _ value: JSONValue, _ assembler: inout TranscriptAssembler, _ number: inout Int, depth: Int
    ) {
        guard depth < 32 else { return }
        switch value {
        case .array(let values):
            for value in values { walk(value, &assembler, &number, depth: depth + 1) }
        case .object(let members):
            let named = Dictionary(
                members.map { (name($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
            number += 1
            if let side = side(named), let bytes = first(named, dataKeys) {
                return assembler.take(side, bytes, line: number)
            }
            if let command = first(named, commandKeys) ?? fields(named) {
                assembler.take(.command, command, line: number)
                let isByFields = named["ins"] != nil
                var answer = first(named, answerKeys) ?? (isByFields ? nil : first(named, ["data"])) ?? []
                if let status = status(named), status.count == 2, Array(answer.suffix(2)) != status {
                    answer += status
                }
                if !answer.isEmpty { assembler.take(.answer, answer, line: number) }
                return
            }
            if let answer = first(named, answerKeys) { return assembler.take(.answer, answer, line: number) }
            for member in members { walk(member.value, &assembler, &number, depth: depth + 1) }
        case .null, .bool, .number, .string: break
        }
    }

    private static func name(_ key: String) -> String { key.lowercased().filter { $0.isLetter || $0.isNumber } }

    private static func side(_ members: [String: JSONValue]) -> Transcript.Side? {
        for key in directionKeys {
            guard let word = members[key]?.stringValue.map(name) else { continue }
            if commandKeys.contains(word) || word.contains("command") || word == "pcd" || word.hasPrefix("readerto") {
                return .command
            }
            if answerKeys.contains(word) || word.contains("response") || word == "picc" || word == "tag"
                || word.hasPrefix("cardto")
            {
                return .answer
            }
        }
        return nil
    }

    private static func first(_ members: [String: JSONValue], _ keys: Set<String>) -> [UInt8]? {
        for key in keys.sorted() { if let bytes = members[key].flatMap({ bytes($0) }) { return bytes } }
        return nil
    }

    /// Returns the status word, in one member or two.
    private static func status(_ members: [String: JSONValue]) -> [UInt8]? {
        if let word = first(members, statusKeys) { return word }
        guard let first = byte(members["sw1"]), let second = byte(members["sw2"]) else { return nil }
        return [first, second]
    }

    /// Returns a command written as fields.
    private static func fields(_ members: [String: JSONValue]) -> [UInt8]? {
        guard let cla = byte(members["cla"]), let ins = byte(members["ins"]), let p1 = byte(members["p1"]),
            let p2 = byte(members["p2"])
        else { return nil }
        let data = members["data"].flatMap { bytes($0, atLeast: 1) } ?? []
        guard data.count <= 255 else { return nil }
        return [cla, ins, p1, p2] + (data.isEmpty ? [] : [UInt8(truncatingIfNeeded: data.count)]) + data
            + (members["le"] == nil ? [] : [0])
    }

    private static func byte(_ value: JSONValue?) -> UInt8? {
        if let number = value?.int64Value { return UInt8(exactly: number) }
        guard let text = value?.stringValue, let bytes = Hex.bytes(ifValid: text), bytes.count == 1 else { return nil }
        return bytes[0]
    }

    /// Parses digits, a list of numbers or of digits, or an object that contains one of these.
    private static func bytes(_ value: JSONValue, atLeast least: Int = 2) -> [UInt8]? {
        switch value {
        case .string(let text):
            guard let bytes = Hex.bytes(ifValid: text), bytes.count >= least else { return nil }
            return bytes
        case .array(let values):
            var bytes: [UInt8] = []
            for value in values {
                if let byte = value.int64Value.flatMap({ UInt8(exactly: $0 < 0 ? $0 + 256 : $0) }) {
                    bytes.append(byte)
                } else if let text = value.stringValue, let one = Hex.bytes(ifValid: text), one.count == 1 {
                    bytes += one
                } else {
                    return nil
                }
            }
            return bytes.count >= 2 ? bytes : nil
        case .object(let members):
            let named = Dictionary(members.map { (name($0.key), $0.value) }, uniquingKeysWith: { first, _ in first })
            if let command = fields(named) { return command }
            let status = status(named)
            guard var data = first(named, dataKeys) ?? (status == nil ? nil : []) else { return nil }
            if let status, status.count == 2 { data += status }
            return data.count >= 2 ? data : nil
        case .null, .bool, .number: return nil
        }
    }
}
