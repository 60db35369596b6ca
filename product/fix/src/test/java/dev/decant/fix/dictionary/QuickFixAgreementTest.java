package dev.decant.fix.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.dictionary.RandomMessages.Field;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.message.RejectReason;
import dev.decant.fix.message.Tag;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import quickfix.ConfigError;
import quickfix.DataDictionary;
import quickfix.FieldException;
import quickfix.FieldNotFound;
import quickfix.IncorrectDataFormat;
import quickfix.IncorrectTagValue;
import quickfix.InvalidMessage;
import quickfix.Message;

/**
 * Messages of QuickFIX's dictionaries, whole or with one change. The verdict is QuickFIX/J's, except for the
 * differences that {@link #isDifference} lists. {@code -Plong} tries a million messages of each version, {@code
 * -Dfuzz.messages=N} another number, {@code -Dfuzz.seed=N} repeats a run.
 */
@Timeout(600)
class QuickFixAgreementTest {
  private static final int MESSAGES = 2_000;
  private static final int LONG_MESSAGES = 1_000_000;
  private static final Set<String> TEXTS_OF_QUICKFIX = Set.of("DATE", "UTCDATEONLY", "LOCALMKTDATE", "MONTHYEAR",
      "DAYOFMONTH", "COUNTRY", "MULTIPLEVALUESTRING");
  /** Price, QuoteEntryID, and the UnderlyingSettlPrice and its type. */
  private static final Set<Integer> REQUIRED_IN_OPTIONAL_GROUPS = Set.of(44, 299, 732, 733);
  private static final int NO_HOPS = 627;
  /** QuickFIX/J reports the problem of the field with the lowest tag, and Decant that of the first field. */
  private static final Set<Integer> FIELD_REASONS = Set.of(RejectReason.INVALID_TAG_NUMBER,
      RejectReason.TAG_NOT_DEFINED_FOR_MESSAGE_TYPE, RejectReason.TAG_WITHOUT_VALUE, RejectReason.VALUE_IS_INCORRECT,
      RejectReason.INCORRECT_DATA_FORMAT, RejectReason.INCORRECT_NUM_IN_GROUP);

  /** The reason and the tag, for a message that is refused. */
  private record Verdict(int reason, int tag) {
    static final Verdict VALID = new Verdict(MessageValidator.VALID, 0);
    static final Verdict GARBLED = new Verdict(-3, 0);
  }

  private final Random random = new Random();
  private String change = "";

  @ParameterizedTest
  @ValueSource(strings = {"FIX40", "FIX41", "FIX42", "FIX43", "FIX44"})
  void agreesWithQuickFix(String version) throws ConfigError {
    agree(version, MESSAGES);
  }

  @org.junit.jupiter.api.Tag("long")
  @ParameterizedTest
  @ValueSource(strings = {"FIX40", "FIX41", "FIX42", "FIX43", "FIX44"})
  void agreesWithQuickFixOnManyMessages(String version) throws ConfigError {
    agree(version, LONG_MESSAGES);
  }

  private void agree(String version, int messagesByDefault) throws ConfigError {
    int count = Integer.getInteger("fuzz.messages", messagesByDefault);
    String resource = version + ".xml";
    RandomMessages messages = new RandomMessages(resource, resource, random);
    DataDictionary theirs = new DataDictionary(resource);
    MessageValidator ours = new MessageValidator(messages.transport(), ValidationSettings.defaults());
    MessageView view = new MessageView(messages.transport().dataFields());
    long firstSeed = Long.getLong("fuzz.seed", System.nanoTime());
    int valid = 0;
    for (long seed = firstSeed; seed < firstSeed + count; seed++) {
      random.setSeed(seed);
      List<Field> fields = messages.message();
      change = "no change";
      if (random.nextInt(5) > 0) {
        change(fields, messages);
      }
      byte[] bytes = TestMessages.bytes(messages.transport().beginString(), RandomMessages.text(fields));
      Verdict our = verdict(ours, view, bytes);
      Verdict their = verdict(theirs, new String(bytes, StandardCharsets.ISO_8859_1));
      if (!isDifference(our, their, messages)) {
        assertThat(our).as("seed %d, %s: %s", seed, change, RandomMessages.text(fields)).isEqualTo(their);
      }
      valid += our.equals(Verdict.VALID) ? 1 : 0;
    }
    assertThat(valid).as("valid ones, seed %d", firstSeed).isBetween(count / 5, count * 4 / 5);
  }

  private static boolean isDifference(Verdict our, Verdict their, RandomMessages messages) {
    FieldDefinition field = messages.transport().field(our.tag());
    if (their.equals(Verdict.GARBLED)) {
      // a NoXXX field that is no number, or a data field without its length
      return true;
    }
    if (our.reason() == RejectReason.TAG_APPEARS_MORE_THAN_ONCE && messages.isOfFrame(our.tag())) {
      return true;
    }
    if (our.reason() == RejectReason.INCORRECT_DATA_FORMAT && field != null
        && TEXTS_OF_QUICKFIX.contains(field.type())) {
      return true;
    }
    if (our.reason() == RejectReason.GROUP_OUT_OF_ORDER) {
      // around the NoXXX field of a nested group
      return their.reason() != RejectReason.TAG_OUT_OF_ORDER;
    }
    if (our.reason() == RejectReason.TAG_OUT_OF_ORDER && our.tag() == NO_HOPS) {
      // to us the header ends at a member of this group that stands before it
      return their.reason() == RejectReason.GROUP_OUT_OF_ORDER;
    }
    if (our.reason() == RejectReason.REQUIRED_TAG_MISSING) {
      return REQUIRED_IN_OPTIONAL_GROUPS.contains(our.tag()) || their.reason() == our.reason();
    }
    return FIELD_REASONS.contains(our.reason()) && FIELD_REASONS.contains(their.reason());
  }

  private void change(List<Field> fields, RandomMessages messages) {
    int at = 1 + random.nextInt(fields.size() - 1);
    int to = 1 + random.nextInt(fields.size() - 1);
    Field field = fields.get(at);
    switch (random.nextInt(8)) {
      case 0 -> {
        change = "without " + field.tag();
        fields.remove(at);
      }
      case 1 -> {
        change = field.tag() + " again at " + to;
        fields.add(to, field);
      }
      case 2 -> {
        change = field.tag() + " moved to " + to;
        fields.remove(at);
        fields.add(to, field);
      }
      case 3 -> set(fields, at, "");
      case 4 -> set(fields, at, random.nextBoolean() ? "+1" : "~~");
      case 5 -> set(fields, at, Integer.toString(random.nextInt(4)));
      case 6 -> {
        int tag = messages.tag();
        // a second BeginString(8) would be another version to QuickFIX/J
        insert(fields, to, tag == Tag.BEGIN_STRING ? Tag.BODY_LENGTH : tag);
      }
      default -> insert(fields, to, random.nextBoolean() ? 4_999 : 5_001);
    }
  }

  private void set(List<Field> fields, int at, String value) {
    int tag = fields.get(at).tag();
    change = tag + " is '" + value + "'";
    fields.set(at, new Field(tag, value));
  }

  private void insert(List<Field> fields, int at, int tag) {
    change = tag + " inserted at " + at;
    fields.add(at, new Field(tag, "1"));
  }

  private static Verdict verdict(MessageValidator validator, MessageView view, byte[] bytes) {
    assertThat(view.parse(ByteBuffer.wrap(bytes), 0, bytes.length, true)).isEqualTo(MessageView.OK);
    int reason = validator.validate(view);
    return reason == MessageValidator.VALID ? Verdict.VALID : new Verdict(reason, validator.failingTag());
  }

  private static Verdict verdict(DataDictionary dictionary, String text) {
    try {
      quickfix.ValidationSettings settings = new quickfix.ValidationSettings();
      dictionary.validate(new Message(text, dictionary, settings), settings);
      return Verdict.VALID;
    } catch (FieldException e) {
      return new Verdict(e.getSessionRejectReason(), e.getField());
    } catch (IncorrectTagValue e) {
      return new Verdict(e.getSessionRejectReason(), e.getField());
    } catch (IncorrectDataFormat e) {
      return new Verdict(e.getSessionRejectReason(), e.getField());
    } catch (FieldNotFound e) {
      return new Verdict(RejectReason.REQUIRED_TAG_MISSING, e.field);
    } catch (InvalidMessage e) {
      return Verdict.GARBLED;
    }
  }
}
