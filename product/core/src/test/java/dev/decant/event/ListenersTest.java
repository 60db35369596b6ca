package dev.decant.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ListenersTest {
  interface DoorListener {
    default void onOpened(int door) {}

    default void onClosed(int door) {}
  }

  /** Overrides a method; its subclasses inherit that. */
  interface BellDoorListener extends DoorListener {
    @Override
    default void onOpened(int door) {}
  }

  interface Odd {
    void onAnything();

    default void onTwo() {}

    default void onTwo(int n) {}
  }

  private final Listeners<DoorListener> listeners = new Listeners<>(DoorListener.class);
  private final Event<DoorListener> opened = listeners.event("onOpened");
  private final Event<DoorListener> closed = listeners.event("onClosed");

  private static final class Opened implements DoorListener {
    final List<Integer> doors = new ArrayList<>();

    @Override
    public void onOpened(int door) {
      doors.add(door);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Opened; // all instances are equal
    }

    @Override
    public int hashCode() {
      return 1;
    }
  }

  @Test
  void nobodyListensAtFirst() {
    assertThat(opened.listeners()).isNull();
    assertThat(closed.listeners()).isNull();
  }

  @Test
  void aListenerIsToldOnlyOfWhatItOverrides() {
    Opened listener = new Opened();
    listeners.add(listener);
    assertThat(opened.listeners()).containsExactly(listener);
    assertThat(closed.listeners()).isNull();
  }

  @Test
  void overridingInAnInterfaceBetweenCounts() {
    listeners.add(new BellDoorListener() {
    });
    assertThat(opened.listeners()).hasSize(1);
    assertThat(closed.listeners()).isNull();
  }

  @Test
  void listenersAreToldInTheOrderOfAdding() {
    Opened first = new Opened();
    Opened second = new Opened();
    listeners.add(first);
    listeners.add(second);
    assertThat(opened.listeners()).usingElementComparator((a, b) -> a == b ? 0 : 1).containsExactly(first, second);
  }

  @Test
  void removingTakesTheVeryListenerAndTakesItOnce() {
    Opened first = new Opened();
    Opened second = new Opened();
    listeners.add(first);
    Registration registration = listeners.add(second);
    listeners.add(first);
    registration.close();
    registration.close();
    assertThat(opened.listeners()).usingElementComparator((a, b) -> a == b ? 0 : 1).containsExactly(first, first);
  }

  @Test
  void afterTheLastOneIsRemovedNobodyListens() {
    listeners.add(new Opened()).close();
    assertThat(opened.listeners()).isNull();
  }

  @Test
  void whoeverIsTellingKeepsTheListenersItHas() {
    Registration registration = listeners.add(new Opened());
    DoorListener[] told = opened.listeners();
    registration.close();
    assertThat(told).hasSize(1).doesNotContainNull();
  }

  @Test
  void aListenerThatCouldNotBeToldOfAnythingIsRefused() {
    assertThatThrownBy(() -> listeners.add(new DoorListener() {
    })).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("overrides no method of DoorListener");
  }

  @Test
  void eventsMustBeDefaultMethodsWithAnUnambiguousName() {
    Listeners<Odd> odd = new Listeners<>(Odd.class);
    assertThatThrownBy(() -> odd.event("onAnything")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> odd.event("onTwo")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> odd.event("onThree")).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("onThree");
    assertThatThrownBy(() -> new Listeners<>(String.class)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void addingAndRemovingAtOnceLosesNobody() throws InterruptedException {
    int threads = 4;
    int each = 200;
    CountDownLatch go = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(threads);
    for (int t = 0; t < threads; t++) {
      Thread.ofPlatform().daemon().start(() -> {
        try {
          go.await();
          for (int i = 0; i < each; i++) {
            listeners.add(new Opened());
            listeners.add(new Opened()).close();
          }
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
        done.countDown();
      });
    }
    go.countDown();
    assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(opened.listeners()).hasSize(threads * each);
  }
}
