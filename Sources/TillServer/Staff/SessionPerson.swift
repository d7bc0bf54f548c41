import TillCore

/// Who is signed in at a device.
struct SessionPerson: Hashable, Sendable {
    let id: StaffID
    /// That of the record when they signed in; another one ends it.
    let generation: Int
}
