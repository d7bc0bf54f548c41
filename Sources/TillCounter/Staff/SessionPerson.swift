package import TillCore

/// The staff member signed in at a device.
package struct SessionPerson: Hashable, Sendable {
    package let id: StaffID
    /// The generation of the staff record at sign-in; a later one ends the session.
    package let generation: Int

    package init(id: StaffID, generation: Int) {
        self.id = id
        self.generation = generation
    }
}
