extension JSONValue {
    /// Returns the document with card numbers masked in every string, number and key, at any depth.
    /// - Parameter untouched: Top-level members that stay unchanged because a card belongs there.
    public func withoutCardNumbers(except untouched: Set<String> = []) -> JSONValue {
        // Nearly every document holds none: it is read once and not built again.
        holdsCardNumber(except: untouched) ? masked(except: untouched) : self
    }

    private func holdsCardNumber(except untouched: Set<String>) -> Bool {
        switch self {
        case .null, .bool: false
        case .string(let text), .number(let text): CardNumberMask.finds(in: text)
        case .array(let values): values.contains { $0.holdsCardNumber(except: []) }
        case .object(let members):
            members.contains { member in
                !untouched.contains(member.key)
                    && (CardNumberMask.finds(in: member.key) || member.value.holdsCardNumber(except: []))
            }
        }
    }

    private func masked(except untouched: Set<String>) -> JSONValue {
        switch self {
        case .null, .bool: self
        case .string(let text): .string(CardNumberMask.masked(text))
        case .number(let digits):
            CardNumberMask.finds(in: digits) ? .string(CardNumberMask.masked(digits)) : self
        case .array(let values): .array(values.map { $0.masked(except: []) })
        case .object(let members):
            .object(
                members.map { member in
                    untouched.contains(member.key)
                        ? member
                        : JSONMember(
                            key: CardNumberMask.masked(member.key), value: member.value.masked(except: []))
                })
        }
    }

    /// Returns the document with card numbers masked that are split across consecutive top-level strings.
    /// - Parameters:
    ///   - texts: The members that are read as one text, in the order in which they came.
    ///   - names: Those of them that are names and stay unchanged; if a number starts in one of them, the rest of it is
    ///     masked.
    public func withoutSplitCardNumbers(in texts: Set<String>, keeping names: Set<String>) -> JSONValue {
        guard case .object(var members) = self, JSONValue.maySplitNumber(members, over: texts) else { return self }
        let parts = members.indices.compactMap { index in
            texts.contains(members[index].key) ? members[index].value.stringValue.map { (index, $0) } : nil
        }
        let joined = parts.map(\.1).joined(separator: " ")
        let masked = CardNumberMask.masked(joined)
        guard masked != joined else { return self }
        // Each masked digit replaces one character, so that every part keeps its length.
        var rest = Array(masked.unicodeScalars)[...]
        var beganInName = false
        for (index, text) in parts {
            var part = Array(rest.prefix(text.unicodeScalars.count))
            rest = rest.dropFirst(text.unicodeScalars.count + 1)
            if names.contains(members[index].key) {
                beganInName = part != Array(text.unicodeScalars)
                continue
            }
            if beganInName {
                // Together with the name, the last four digits would complete the number.
                let end = part.firstIndex { $0.properties.isAlphabetic } ?? part.endIndex
                for place in 0..<end where part[place].properties.numericType != nil { part[place] = "*" }
            }
            beganInName = false
            var kept = String.UnicodeScalarView()
            kept.append(contentsOf: part)
            members[index] = JSONMember(key: members[index].key, value: .string(String(kept)))
        }
        return .object(members)
    }

    /// Returns `false` for fewer than two of the texts, and for texts with too few digits together, as nearly every
    /// document has them: nothing is joined for it.
    private static func maySplitNumber(_ members: [JSONMember], over texts: Set<String>) -> Bool {
        var (count, digits) = (0, 0)
        for member in members {
            guard case .string(let text) = member.value, texts.contains(member.key) else { continue }
            count += 1
            digits += CardNumberMask.possibleDigits(in: text)
        }
        return count > 1 && digits >= CardNumberMask.fewestDigits
    }
}
