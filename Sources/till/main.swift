import TillCommandLine

await Till.main()
