import TillCore

/// A page of a list, newest first: `limit` (1 to 100, 10 by default), `starting_after` and `ending_before`.
struct StripePage<Value> {
    let values: [Value]
    /// `true` if the list goes on in the direction that was asked for.
    let hasMore: Bool

    /// Cuts a page out of a whole list. A limit outside its range is clamped; a cursor that is not in the list gives an
    /// empty page.
    init(of all: some Sequence<Value>, _ form: StripeForm, id: (Value) -> String) {
        let limit = max(1, min(100, form["limit"].flatMap { Int($0) } ?? 10))
        var rest = Array(all)[...]
        if let before = form["ending_before"] {
            guard let end = rest.firstIndex(where: { id($0) == before }) else {
                (values, hasMore) = ([], false)
                return
            }
            rest = rest[..<end]
            (values, hasMore) = (Array(rest.suffix(limit)), rest.count > limit)
            return
        }
        if let after = form["starting_after"] { rest = rest.drop { id($0) != after }.dropFirst() }
        (values, hasMore) = (Array(rest.prefix(limit)), rest.count > limit)
    }
}

extension StripePage {
    /// Cuts a page out of a whole list, as Stripe does.
    /// - Throws: the refusal of a limit outside its range, of two cursors, and of a cursor that is not in the list.
    init(
        strictly all: [Value], _ form: StripeForm, _ object: String, id: (Value) -> String
    ) throws(StripeRefusal) {
        if let limit = form["limit"] {
            guard let number = Int(limit), (1...100).contains(number) else {
                throw StripeRefusal(
                    answer: .invalid("limit", "The limit is 1 to 100.", code: "parameter_invalid_integer"))
            }
        }
        guard form["starting_after"] == nil || form["ending_before"] == nil else {
            throw StripeRefusal(
                answer: .error(
                    400, "invalid_request_error", param: "ending_before",
                    "Only one of starting_after and ending_before may be given."))
        }
        for name in ["starting_after", "ending_before"] {
            guard let cursor = form[name], !all.contains(where: { id($0) == cursor }) else { continue }
            throw StripeRefusal(answer: .unknown(name, object, cursor))
        }
        self.init(of: all, form, id: id)
    }
}

extension StripeForm {
    /// Returns `true` if a time in seconds since 1970 meets the form's `created`, an exact time or bounds.
    func accepts(created: Int64) -> Bool {
        func bound(_ name: String) -> Int64? { self["created[\(name)]"].flatMap { Int64($0) } }
        if let exact = self["created"].flatMap({ Int64($0) }), exact != created { return false }
        if let least = bound("gte"), created < least { return false }
        if let below = bound("gt"), created <= below { return false }
        if let most = bound("lte"), created > most { return false }
        if let above = bound("lt"), created >= above { return false }
        return true
    }
}
