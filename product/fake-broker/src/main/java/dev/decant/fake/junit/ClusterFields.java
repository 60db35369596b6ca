package dev.decant.fake.junit;

import dev.decant.fake.FakeCluster;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;

/** The fields of test classes that hold the cluster. */
final class ClusterFields {
  private ClusterFields() {}

  /** Sets the fields that are null: those of an instance, or the static ones of a class if the instance is null. */
  static void fill(Class<?> type, @Nullable Object instance, FakeCluster cluster) {
    exchange(type, instance, null, cluster);
  }

  /** Sets the fields that hold the cluster to null, so that nothing keeps it in memory. */
  static void clear(Class<?> type, @Nullable Object instance, FakeCluster cluster) {
    exchange(type, instance, cluster, null);
  }

  private static void exchange(Class<?> testClass, @Nullable Object instance, @Nullable FakeCluster from,
      @Nullable FakeCluster to) {
    for (Class<?> type = testClass; type != null && type != Object.class; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        int modifiers = field.getModifiers();
        if (field.getType() == FakeCluster.class && Modifier.isStatic(modifiers) == (instance == null)
            && !Modifier.isFinal(modifiers) && !field.isSynthetic()) {
          exchange(field, instance, from, to);
        }
      }
    }
  }

  private static void exchange(Field field, @Nullable Object instance, @Nullable FakeCluster from,
      @Nullable FakeCluster to) {
    try {
      field.setAccessible(true);
      if (field.get(instance) == from) {
        field.set(instance, to);
      }
    } catch (IllegalAccessException | InaccessibleObjectException e) {
      throw new ExtensionConfigurationException("@FakeKafka cannot set " + field + "; take a parameter of type"
          + " FakeCluster instead, or open the package to dev.decant.fake.broker", e);
    }
  }
}
