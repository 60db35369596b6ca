package dev.decant.fix.conformance;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.settings.SessionSettingsBuilder;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.function.UnaryOperator;

/** Dictionaries with the session messages and an order, of one file for all versions. */
final class TestDictionaries {
  private static final String FILE = "dictionary.xml";

  private TestDictionaries() {}

  /** Has a session validate messages by the dictionary of its version. */
  static void set(SessionSettingsBuilder builder, Version version) {
    switch (version) {
      case FIX42 -> builder.dictionary(load("FIX", 4, 2));
      case FIX44 -> builder.dictionary(load("FIX", 4, 4));
      case FIXT11 ->
        builder.dictionary(load("FIXT", 1, 1)).applicationDictionary("7", load("FIX", 5, 0)).defaultApplVerId("7");
    }
  }

  /** A dictionary of FIXT.1.1 that has no orders, and ApplVerID(1128) in the header. */
  static Dictionary transport() {
    return load("FIXT", 1, 1, text -> text.replace("msgtype=\"D\"", "msgtype=\"U0\"")
        .replace("<field name=\"MsgType\" required=\"Y\"/>",
            "<field name=\"MsgType\" required=\"Y\"/><field name=\"ApplVerID\"/>")
        .replace("<fields>", "<fields><field number=\"1128\" name=\"ApplVerID\" type=\"STRING\"/>"));
  }

  /** An application dictionary whose orders have field 7777, too. */
  static Dictionary application(int servicePack) {
    return load("FIX", 5, 0, text -> text.replace("minor=\"0\"", "minor=\"0\" servicepack=\"" + servicePack + '"')
        .replace("<field name=\"ClOrdID\" required=\"Y\"/>",
            "<field name=\"ClOrdID\" required=\"Y\"/><field name=\"Own\"/>")
        .replace("<fields>", "<fields><field number=\"7777\" name=\"Own\" type=\"STRING\"/>"));
  }

  private static Dictionary load(String type, int major, int minor) {
    return load(type, major, minor, text -> text);
  }

  private static Dictionary load(String type, int major, int minor, UnaryOperator<String> change) {
    try (InputStream in = Objects.requireNonNull(TestDictionaries.class.getResourceAsStream(FILE))) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .replace("TYPE", type).replace("MAJOR", Integer.toString(major)).replace("MINOR", Integer.toString(minor));
      return Dictionary.load(new ByteArrayInputStream(change.apply(text).getBytes(StandardCharsets.UTF_8)), FILE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
