package dev.decant.fix.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.decant.fix.dictionary.Dictionary;
import dev.decant.fix.message.DataFields;
import dev.decant.fix.message.MessageView;
import dev.decant.fix.settings.SessionId;
import dev.decant.fix.settings.SessionSettings;
import org.junit.jupiter.api.Test;

/**
 * Each of thousands of sessions had tables of its own for the fields of its messages, and one of 16 KiB for the data
 * fields of its dictionary. No cache of a processor had them when a message came.
 */
class LoopMemoryTest {
  private static final Dictionary FIX44 = Dictionary.loadResource("FIX44.xml");
  private static final int[][] VENUE = {{5_001, 5_002}};

  private final LoopMemory memory = new LoopMemory(() -> 1);

  private static SessionSettings settings(String target, Dictionary dictionary) {
    return SessionSettings.of(SessionId.of("FIX.4.4", "SERVER", target)).dictionary(dictionary).build();
  }

  @Test
  void sessionsWithTheSameDictionaryShareViewAndDataFields() {
    DataFields one = settings("ONE", FIX44).dataFields();
    DataFields other = settings("OTHER", FIX44).dataFields();
    assertThat(other).isSameAs(one);
    assertThat(memory.view(other, false)).isSameAs(memory.view(one, false));
  }

  @Test
  void sessionsThatReadMessagesDifferentlyHaveViewsOfTheirOwn() {
    MessageView standard = memory.view(DataFields.standard(), false);
    assertThat(memory.view(DataFields.standard(), true)).isNotSameAs(standard);
    assertThat(memory.view(DataFields.standardWith(VENUE), false)).isNotSameAs(standard);
    assertThat(new LoopMemory(() -> 1).view(DataFields.standard(), false)).isNotSameAs(standard);
  }

  @Test
  void viewsOfManyDictionariesAreNotKeptForEver() {
    MessageView standard = memory.view(DataFields.standard(), false);
    for (int i = 0; i < 100; i++) {
      memory.view(DataFields.standardWith(VENUE), false);
    }
    assertThat(memory.view(DataFields.standard(), false)).isNotSameAs(standard);
  }
}
