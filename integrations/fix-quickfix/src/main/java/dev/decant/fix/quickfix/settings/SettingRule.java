package dev.decant.fix.quickfix.settings;

import java.util.List;

/**
 * The conversion of one setting of QuickFIX/J.
 *
 * @param name the name in the file
 * @param group the heading of its table
 * @param treatment how the setting is treated
 * @param harmless values of a refused setting that require nothing, and are therefore accepted
 * @param text the resulting setting, the reason why there is no effect, or the remedy
 */
record SettingRule(String name, String group, Treatment treatment, List<String> harmless, String text) {
  /** How a setting is treated. */
  enum Treatment {
    /** The setting becomes a setting of Decant. */
    MAPPED("mapped"),
    /** Decant has nothing to set: the file works as before. */
    WITHOUT_EFFECT("no effect"),
    /** A class of QuickFIX/J reads the setting; the adapter runs that class. */
    OF_ITS_CLASSES("read by QuickFIX/J's class"),
    /** Decant does not support what the setting requires: the file must change. */
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

  /** Returns a name and its value for people; without the value if that is a secret. */
  String shown(String named, String value) {
    return named.endsWith("Password") ? named : named + "=" + SettingsText.shown(value);
  }

  /** Returns the treatment as the table of the page shows it. */
  String shown() {
    return harmless.isEmpty()
        ? treatment.shown()
        : treatment.shown() + ", except `" + String.join("`, `", harmless) + "`";
  }
}
