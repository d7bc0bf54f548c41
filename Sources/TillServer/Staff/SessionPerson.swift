import TillCore

/// The staff member signed in at a device.
struct SessionPerson: Hashable, Sendable {
    let id: StaffID
    /// The generation of the staff record at sign-in; a later one ends the session.
    let generation: Int
}
