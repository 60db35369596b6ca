package dev.decant.lab.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GroupViewTest {
  private final GroupView view = new GroupView(2);

  private boolean isStable() throws InterruptedException {
    return view.awaitStable(System.nanoTime());
  }

  @Test
  void groupIsStableOnceEachPartitionIsReadByItsOnlyOwnerAndEachMemberHasOne() throws InterruptedException {
    view.expect(0, true);
    view.assigned(0, 0);
    view.assigned(0, 1);
    view.read(0, 0, 0);
    assertThat(isStable()).as("partition 1 is not read").isFalse();
    view.read(0, 1, 0);
    assertThat(isStable()).isTrue();

    view.expect(1, true);
    view.read(0, 0, 1);
    view.read(0, 1, 1);
    assertThat(isStable()).as("member 1 has nothing").isFalse();
    view.assigned(1, 1);
    view.read(1, 1, 1);
    assertThat(isStable()).as("partition 1 has two owners").isFalse();
    view.released(0, 1);
    assertThat(isStable()).isTrue();

    view.expect(0, false);
    view.read(1, 1, 2);
    assertThat(isStable()).as("nobody has partition 0").isFalse();
    view.assigned(1, 0);
    view.read(1, 0, 2);
    assertThat(isStable()).isTrue();
  }

  @Test
  void recordIsADuplicateOnlyIfItWasCommittedBeforeItsOwnerCame() {
    view.expect(0, true);
    view.assigned(0, 0);
    for (int offset = 0; offset < 5; offset++) {
      view.read(0, 0, offset);
    }
    view.committed(0, 3);
    view.expect(1, true);
    view.assigned(1, 0);
    view.read(1, 0, 3);
    view.read(1, 0, 4);
    assertThat(view.redelivered()).isEqualTo(2);
    assertThat(view.duplicates()).isZero();

    view.read(1, 0, 2);
    assertThat(view.duplicates()).isEqualTo(1);
    assertThat(view.lost()).isZero();
  }

  @Test
  void gapIsALoss() {
    view.expect(0, true);
    view.assigned(0, 1);
    view.read(0, 1, 0);
    view.read(0, 1, 4);
    assertThat(view.lost()).isEqualTo(3);
    view.forgetCounts();
    assertThat(view.lost()).isZero();
  }
}
