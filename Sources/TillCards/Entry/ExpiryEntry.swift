public import TillCore

/// The state of an expiry field while it is edited.
public enum ExpiryEntry {
    /// Returns the state of the field at `now`.
    public static func state(_ text: String, now: Timestamp) -> FieldState<ExpiryError> {
        let digits = TypedDigits.digits(in: text)
        let expiry: Expiry
        do throws(ExpiryError) {
            expiry = try Expiry(text, now: now)
        } catch {
            if case .month = error { return .invalid(error) }
            if digits.utf8.count >= 2, let month = Int(digits.prefix(2)), month == 0 || month > 12,
                digits.utf8.count < 4
            {
                // 20 may be the start of 2030-12.
                return month == 20 || month == 21 ? .incomplete : .invalid(.month(month))
            }
            return digits.utf8.count < 4 ? .incomplete : .invalid(.unreadable)
        }
        do throws(ExpiryError) {
            try expiry.check(at: now)
        } catch { return .invalid(error) }
        return .valid
    }
}
