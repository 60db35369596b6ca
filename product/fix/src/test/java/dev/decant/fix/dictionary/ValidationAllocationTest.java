package dev.decant.fix.dictionary;

import static dev.decant.fix.dictionary.TestMessages.TIME;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.decant.fix.message.MessageView;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Validation allocates nothing once it is warm, whatever the verdict. */
@Tag("allocation")
@Timeout(60)
class ValidationAllocationTest {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private static final int ROUNDS = 500;
  private static final int WARM_UP_RUNS = 80;
  private static final int MEASURED_RUNS = 40;

  private final Dictionary fix44 = Dictionary.loadResource("FIX44.xml");
  private final MessageValidator validator = new MessageValidator(fix44, ValidationSettings.defaults());

  /** The fewest bytes that {@link #ROUNDS} validations of a message allocated on this thread. */
  private static long bytesPerRun(MessageValidator validator, MessageView message, int result) {
    long least = Long.MAX_VALUE;
    for (int run = 0; run < WARM_UP_RUNS + MEASURED_RUNS; run++) {
      long before = THREADS.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < ROUNDS; i++) {
        if (validator.validate(message) != result) {
          throw new AssertionError("tag " + validator.failingTag());
        }
      }
      long allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
      least = run < WARM_UP_RUNS ? least : Math.min(least, allocated);
    }
    return least;
  }

  private long bytesPerRun(String fields, int result) {
    return bytesPerRun(validator, TestMessages.message("FIX.4.4", fields, fix44.dataFields()), result);
  }

  @Test
  void anOrderCostsNoBytes() {
    String order = TestMessages.header("D") + "11=order-000001|21=1|55=ABCD|54=1|60=" + TIME + "|38=100|40=2|44=10.25|";
    assertThat(bytesPerRun(order, MessageValidator.VALID)).isZero();
  }

  @Test
  void nestedGroupsCostNoBytes() {
    String parties = "453=2|448=A|447=D|452=1|802=2|523=a|803=1|523=b|803=2|448=B|447=D|452=3|";
    assertThat(bytesPerRun(TestMessages.header("D") + "11=o|" + parties + "55=ABCD|54=1|60=" + TIME + "|40=1|18=1 2|",
        MessageValidator.VALID)).isZero();
  }

  @Test
  void refusalsCostNoBytes() {
    assertThat(bytesPerRun(TestMessages.header("%"), 11)).isZero();
    assertThat(bytesPerRun(TestMessages.header("U1"), MessageValidator.UNSUPPORTED_MSG_TYPE)).isZero();
    assertThat(bytesPerRun(TestMessages.header("D"), 1)).isZero();
    assertThat(bytesPerRun(TestMessages.header("0") + "9999=x|", 0)).isZero();
    assertThat(bytesPerRun(TestMessages.header("0") + "112=|", 4)).isZero();
    assertThat(bytesPerRun(TestMessages.header("D") + "453=2|452=1|", 15)).isZero();
  }

  @Test
  void fieldsOutsideOfTheDictionaryCostNoBytes() {
    MessageValidator lenient = new MessageValidator(fix44,
        ValidationSettings.builder().allowUnknownMessageFields(true).checkUserDefinedFields(false).build());
    StringBuilder fields = new StringBuilder(TestMessages.header("0"));
    for (int tag = 4_900; tag < 5_100; tag++) {
      fields.append(tag).append("=x|");
    }
    MessageView message = TestMessages.message("FIX.4.4", fields.toString(), fix44.dataFields());
    assertThat(bytesPerRun(lenient, message, MessageValidator.VALID)).isZero();
  }
}
