extension CardExpiry {
    /// Whether the card's last month has ended everywhere on Earth (UTC-12).
    public func isPast(at now: Timestamp) -> Bool {
        let there = now.adding(.hours(-12)).description.prefix(7)
        return "\(year)-\(month < 10 ? "0" : "")\(month)" < there
    }
}
