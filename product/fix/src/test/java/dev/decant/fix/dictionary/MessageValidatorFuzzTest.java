package dev.decant.fix.dictionary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.dictionary.RandomMessages.Field;
import dev.decant.fix.message.MessageView;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Hostile messages: the validator returns one of its results, and the next message is judged as if there had been none
 * before. {@code -Plong} runs for minutes, {@code -Dfuzz.seconds=600} that long, {@code -Dfuzz.seed=N} repeats a run.
 */
@Timeout(700)
class MessageValidatorFuzzTest {
  private static final long SECONDS = 1;
  private static final long LONG_SECONDS = 300;
  private static final Set<Integer> RESULTS = Set.of(MessageValidator.VALID, MessageValidator.UNSUPPORTED_MSG_TYPE, 0,
      1,
      2, 4, 5, 6, 11, 13, 14, 15, 16);

  private final Random random = new Random();

  private static List<ValidationSettings> settings() {
    return List.of(ValidationSettings.defaults(),
        ValidationSettings.builder().allowUnknownMessageFields(true).checkUserDefinedFields(false)
            .allowUnknownEnumValues(true).checkFieldsHaveValues(false).checkFieldsOutOfOrder(false).build(),
        ValidationSettings.builder().checkUnorderedGroupFields(false).firstFieldInGroupIsDelimiter(true)
            .checkRepeatedTags(false).checkFieldsOutOfOrder(false).checkGroupCounts(false).build(),
        ValidationSettings.builder().checkDataFormats(false).checkRequiredFields(false)
            .checkUnorderedGroupFields(false).checkFieldsHaveValues(false).build());
  }

  @Test
  void hostileMessagesGetAVerdict() {
    judge(SECONDS);
  }

  @Tag("long")
  @Test
  void hostileMessagesOfMinutesGetAVerdict() {
    judge(LONG_SECONDS);
  }

  private void judge(long secondsByDefault) {
    long seconds = Long.getLong("fuzz.seconds", secondsByDefault);
    RandomMessages messages = new RandomMessages("FIXT11.xml", "FIX50SP2.xml", random);
    List<MessageValidator> validators = settings().stream()
        .map(settings -> new MessageValidator(messages.transport(), messages.application(), settings)).toList();
    MessageView view = new MessageView(messages.application().dataFields());
    long seed = Long.getLong("fuzz.seed", System.nanoTime());
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    long judged = 0;
    for (int rounds = 0; rounds < 500 || System.nanoTime() < end; rounds++, seed++) {
      random.setSeed(seed);
      List<Field> fields = messages.message();
      spoil(fields, messages);
      byte[] bytes = TestMessages.bytes("FIXT.1.1", RandomMessages.text(fields));
      if (view.parse(ByteBuffer.wrap(bytes), 0, bytes.length, true) != MessageView.OK) {
        continue;
      }
      for (MessageValidator validator : validators) {
        try {
          int result = validator.validate(view);
          int tag = validator.failingTag();
          assertThat(RESULTS).contains(result);
          assertThat(tag == MessageValidator.NO_TAG).isEqualTo(result < 0);
          assertThat(validator.validate(view)).as("again").isEqualTo(result);
          assertThat(validator.failingTag()).as("again").isEqualTo(tag);
          judged++;
        } catch (RuntimeException | AssertionError e) {
          throw new AssertionError("seed " + seed + ": " + view, e);
        }
      }
    }
    assertThat(judged).as("seed %d", seed).isGreaterThan(500);
  }

  private void spoil(List<Field> fields, RandomMessages messages) {
    for (int changes = random.nextInt(12); changes >= 0; changes--) {
      int at = random.nextInt(fields.size());
      Field field = fields.get(random.nextInt(fields.size()));
      switch (random.nextInt(6)) {
        case 0 -> fields.add(Math.max(1, at), field);
        case 1 -> fields.add(Math.max(1, at), new Field(messages.tag(), Integer.toString(random.nextInt(5))));
        case 2 -> fields.add(Math.max(1, at), new Field(random.nextInt(), "x"));
        case 3 -> fields.set(at, new Field(fields.get(at).tag(), value()));
        case 4 -> fields.addAll(Math.max(1, at), List.copyOf(fields.subList(at, Math.min(fields.size(), at + 5))));
        default -> {
          if (fields.size() > 1) {
            fields.remove(Math.max(1, at));
          }
        }
      }
    }
  }

  private String value() {
    return switch (random.nextInt(5)) {
      case 0 -> "";
      case 1 -> Integer.toString(random.nextInt());
      case 2 -> "999999999999999999";
      case 3 -> " ";
      default -> new String(new char[] {(char) (2 + random.nextInt(250)), (char) (2 + random.nextInt(250))})
          .replace('|', '!');
    };
  }

  @Test
  void manyEntriesAndManyUnknownFieldsAreJudgedInOneWalk() {
    Dictionary harbour = DictionaryTest.harbour();
    MessageValidator validator = new MessageValidator(harbour,
        ValidationSettings.builder().checkUserDefinedFields(false).allowUnknownMessageFields(true).build());
    StringBuilder many = new StringBuilder(TestMessages.header("UO")).append("20000=V|20004=NORTH|");
    for (int tag = 100_000; tag < 130_000; tag++) {
      many.append(tag).append("=x|");
    }
    int tides = 30_000;
    many.append("20040=").append(tides).append('|');
    many.append("20041=12:30:45|".repeat(tides));

    assertThat(validator.validate(TestMessages.message("FIX.4.4", many.toString(), harbour.dataFields())))
        .isEqualTo(MessageValidator.VALID);
    assertThat(validator.validate(TestMessages.message("FIX.4.4",
        many.toString().replace("20004=NORTH|", "20004=NORTH|100001=x|"), harbour.dataFields()))).isEqualTo(13);
    assertThat(validator.failingTag()).isEqualTo(100_001);
  }

  @Test
  void groupsWithinGroupsEndAtTheDepthOfTheDictionary() {
    Dictionary harbour = DictionaryTest.harbour();
    MessageValidator validator = new MessageValidator(harbour, ValidationSettings.defaults());
    String deep = TestMessages.header("UB") + "20000=V|20001=" + TestMessages.TIME + "|20010=1|20011=ANNA|"
        + "20020=1|20021=1|20022=1|20030=1|20031=s|".repeat(5_000);

    assertThat(validator.validate(TestMessages.message("FIX.4.4", deep, harbour.dataFields()))).isEqualTo(15);
    assertThat(validator.failingTag()).isEqualTo(20_020);
  }
}
