extension JSONValue {
    /// The document with card numbers masked in every text, number and key, whatever its depth.
    /// - Parameter untouched: members of the document itself that stay as they came, since a card belongs there.
    public func withoutCardNumbers(except untouched: Set<String> = []) -> JSONValue {
        switch self {
        case .null, .bool: self
        case .string(let text): .string(CardNumberMask.masked(text))
        case .number(let digits):
            CardNumberMask.finds(in: digits) ? .string(CardNumberMask.masked(digits)) : self
        case .array(let values): .array(values.map { $0.withoutCardNumbers() })
        case .object(let members):
            .object(
                members.map { member in
                    untouched.contains(member.key)
                        ? member
                        : JSONMember(
                            key: CardNumberMask.masked(member.key), value: member.value.withoutCardNumbers())
                })
        }
    }
}
