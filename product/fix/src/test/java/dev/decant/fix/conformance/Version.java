package dev.decant.fix.conformance;

/** Versions of FIX that a script may cover. */
enum Version {
  FIX42("4.2", "FIX.4.2"), FIX44("4.4", "FIX.4.4"), FIXT11("T1.1", "FIXT.1.1");

  private final String shortName;
  private final String beginString;

  Version(String shortName, String beginString) {
    this.shortName = shortName;
    this.beginString = beginString;
  }

  /** BeginString(8). */
  String beginString() {
    return beginString;
  }

  /** The version with this name in scripts. */
  static Version of(String name) {
    for (Version version : values()) {
      if (version.shortName.equals(name)) {
        return version;
      }
    }
    throw new IllegalArgumentException("unknown version '" + name + "'; 4.2, 4.4 and T1.1 exist");
  }

  /** As in scripts. */
  @Override
  public String toString() {
    return shortName;
  }
}
