package import TillCore

extension JSONValue {
    /// Returns an optional time with an offset, as it was written.
    package func timeWithOffset(_ name: String) throws -> String? {
        guard let text = try text(name, atMost: 32) else { return nil }
        guard Timestamp(internetTime: text) != nil else {
            throw Problem.field(name, "It must be a time with an offset, such as 2026-11-21T18:30:00+01:00.")
        }
        return text
    }

    /// Returns the optional member `metadata`.
    package func metadata() throws -> OrderMetadata? {
        guard let value = self["metadata"], !value.isNull else { return nil }
        var values: [String: String] = [:]
        guard let members = value.objectValue else { throw Problem.field("metadata", "It must be an object of texts.") }
        for member in members {
            guard let text = member.value.stringValue else {
                throw Problem.field("metadata", "The value of \(member.key.prefix(40)) must be text.")
            }
            values[member.key] = text
        }
        do throws(OrderMetadata.Refusal) { return try OrderMetadata(values) } catch {
            throw Problem.field("metadata", "\(error)")
        }
    }
}
