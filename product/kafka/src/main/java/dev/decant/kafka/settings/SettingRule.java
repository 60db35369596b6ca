package dev.decant.kafka.settings;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * Decant's treatment of one of Kafka's setting names.
 *
 * @param name Kafka's; a prefix if it ends with {@code .*}
 * @param treatment Decant's treatment
 * @param owners the parts of a client that honour it; empty unless it is honoured
 * @param accepted an expression for the values, in lower case, that are no error
 * @param text the reason, or the replacement
 */
public record SettingRule(String name, Treatment treatment, Set<SettingOwner> owners, String accepted, String text) {

  private static final String ANY = "(?s).*";
  /** Matches nothing. */
  private static final String NONE = "(?!)";

  static SettingRule honoured(String name, String text, SettingOwner first, SettingOwner... more) {
    return new SettingRule(name, Treatment.HONOURED, EnumSet.of(first, more), ANY, text);
  }

  static SettingRule noEffect(String name, String text) {
    return noEffectIf(ANY, name, text);
  }

  static SettingRule noEffectIf(String accepted, String name, String text) {
    return new SettingRule(name, Treatment.NO_EFFECT, Set.of(), accepted, text);
  }

  static SettingRule refused(String name, String text) {
    return refusedUnless(NONE, name, text);
  }

  static SettingRule refusedUnless(String accepted, String name, String text) {
    return new SettingRule(name, Treatment.REFUSED, Set.of(), accepted, text);
  }

  static SettingRule notYet(String name, String text) {
    return notYetUnless(NONE, name, text);
  }

  static SettingRule notYetUnless(String accepted, String name, String text) {
    return new SettingRule(name, Treatment.NOT_YET, Set.of(), accepted, text);
  }

  /** Returns true if a name that is refused or not yet possible has a value that is accepted. */
  public boolean hasAcceptedValue() {
    return !accepted.equals(ANY) && !accepted.equals(NONE);
  }

  /** Returns true if a value is no error; true also for a value that is honoured only within bounds. */
  public boolean accepts(String value) {
    return value.strip().toLowerCase(Locale.ROOT).matches(accepted);
  }
}
