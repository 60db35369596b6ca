package dev.decant.fix.quickfix.settings;

import java.util.List;

/**
 * What becomes of one setting of QuickFIX/J.
 *
 * @param name as the file has it
 * @param group the heading of its table
 * @param treatment what is done with it
 * @param harmless values of a refused setting that ask for nothing, and are therefore taken
 * @param text what it becomes, why it has no effect, or what to do instead
 */
record SettingRule(String name, String group, Treatment treatment, List<String> harmless, String text) {
  /** What is done with a setting. */
  enum Treatment {
    /** It becomes a setting of Decant. */
    MAPPED("mapped"),
    /** Decant has nothing to set: the file works as before. */
    WITHOUT_EFFECT("no effect"),
    /** A class of QuickFIX/J's own reads it; the adapter runs that class. */
    OF_ITS_CLASSES("read by QuickFIX/J's class"),
    /** Decant cannot do what it asks for: the file must change. */
    REFUSED("refused");

    private final String shown;

    Treatment(String shown) {
      this.shown = shown;
    }

    String shown() {
      return shown;
    }
  }

  boolean refuses(String value) {
    return treatment == Treatment.REFUSED && !harmless.contains(value);
  }

  /** A name and its value for people; without the value if that is a secret. */
  String shown(String named, String value) {
    return named.endsWith("Password") ? named : named + "=" + SettingsText.shown(value);
  }

  /** How the table of the page shows the treatment. */
  String shown() {
    return harmless.isEmpty()
        ? treatment.shown()
        : treatment.shown() + ", except `" + String.join("`, `", harmless) + "`";
  }
}
