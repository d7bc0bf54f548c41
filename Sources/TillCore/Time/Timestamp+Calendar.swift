extension Timestamp {
    /// Returns the days from 1970-01-01 to a day of the proleptic Gregorian calendar. Nothing is checked: a day beyond
    /// the month's last runs into the next.
    /// - Parameters:
    ///   - year: Any year, as long as its days fit 64 bits.
    ///   - month: 1 to 12.
    ///   - day: 1 to 31.
    public static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Years are counted from March, so that the leap day is the last.
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
