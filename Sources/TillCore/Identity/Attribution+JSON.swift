// Stored data is permanent: a member may be added, but never renamed or given another meaning.

extension Attribution {
    /// The current attribution in the form stored with events: without the network address.
    public static var inEvents: Attribution? {
        guard var current else { return nil }
        current.address = nil
        return current
    }

    /// Writes the attribution as a JSON object in value position: the actor's members, and its own beside them.
    public func write(into writer: inout JSONWriter) {
        writer.beginObject()
        members(into: &writer)
        writer.endObject()
    }

    /// Writes the members of that object, so that the caller can add others.
    public func members(into writer: inout JSONWriter) {
        actor.members(into: &writer)
        if let request { writer.field("request", request) }
        if let device { writer.field("device", device.rawValue) }
        if let address { writer.field("address", address) }
        if let drawer { writer.field("drawer", drawer.rawValue) }
        if let approvedBy {
            writer.key("approved_by")
            approvedBy.write(into: &writer)
        }
    }

    /// Reads the output of ``write(into:)``; `nil` for anything else. Members of a later release are ignored.
    public init?(_ json: JSONValue) {
        guard let actor = Actor(json) else { return nil }
        self.init(
            actor, request: json["request"]?.stringValue,
            device: json["device"]?.stringValue.map { DeviceID(rawValue: $0) }, address: json["address"]?.stringValue,
            drawer: json["drawer"]?.stringValue.map { DrawerName(rawValue: $0) })
        guard let approver = json["approved_by"] else { return }
        guard let approver = Actor(approver) else { return nil }
        approvedBy = approver
    }
}

extension Actor {
    /// Writes the actor as a JSON object in value position: `kind`, and `id` and `name` if it has them.
    public func write(into writer: inout JSONWriter) {
        writer.beginObject()
        members(into: &writer)
        writer.endObject()
    }

    fileprivate func members(into writer: inout JSONWriter) {
        writer.field("kind", kind)
        if let id { writer.field("id", id) }
        if let name { writer.field("name", Actor.kept(name)) }
    }

    /// Returns a name in its stored form: without card numbers, truncated to ``maximumNameBytes``.
    private static func kept(_ name: String) -> String {
        let name = CardNumberMask.maskedForPeople(name)
        guard name.utf8.count > maximumNameBytes else { return name }
        var kept = ""
        for character in name {
            guard kept.utf8.count + character.utf8.count <= maximumNameBytes else { break }
            kept.append(character)
        }
        return kept
    }

    /// Reads the output of ``write(into:)``; `nil` for anything else. A kind of a later release is kept by its stored
    /// kind.
    public init?(_ json: JSONValue) {
        guard let kind = json["kind"]?.stringValue else { return nil }
        let (id, name) = (json["id"]?.stringValue, json["name"]?.stringValue)
        switch (kind, id) {
        case ("staff", let id?): self = .staff(StaffID(rawValue: id), name: name ?? id)
        case ("key", let id?): self = .key(id: id, label: name)
        case ("owner", _): self = .owner
        case ("os_user", let id?):
            guard let uid = UInt32(id) else { return nil }
            self = .operatingSystemUser(uid: uid, name: name ?? id)
        case ("device", let id?): self = .device(DeviceID(rawValue: id))
        case ("provider", let id?): self = .provider(ProviderName(rawValue: id))
        case ("customer", _): self = .customer
        case ("stranger", _): self = .stranger
        case ("unattributed", _): self = .unattributed
        case ("till", let id?): self = TillDuty(rawValue: id).map { .till($0) } ?? .unrecognized(kind: kind)
        case ("staff", nil), ("key", nil), ("os_user", nil), ("device", nil), ("provider", nil), ("till", nil):
            return nil
        default: self = .unrecognized(kind: kind)
        }
    }
}
