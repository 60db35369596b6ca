package dev.decant.kafka.protocol.message;

import com.fasterxml.jackson.databind.JsonNode;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Converts a tree of values to a message object and back, and the object to bytes and back: Decant's, or Apache's. */
abstract class Dialect {
  private final Map<String, Method> methods = new HashMap<>();

  abstract Class<?> bodyClass(Schema schema) throws ReflectiveOperationException;

  abstract String setter(String fieldName);

  abstract Object toValue(Class<?> target, String type, String text);

  abstract Object fromValue(Object value);

  abstract byte[] write(Object message, short version) throws ReflectiveOperationException;

  abstract Object read(Schema schema, byte[] bytes, short version) throws ReflectiveOperationException;

  /** Called for each struct that was made. */
  void made(Object struct) {}

  Object make(Schema schema, Map<String, @Nullable Object> tree) throws ReflectiveOperationException {
    return make(schema, bodyClass(schema), schema.fields(), tree);
  }

  private Object make(Schema schema, Class<?> type, JsonNode fields, Map<?, ?> tree)
      throws ReflectiveOperationException {
    Object object = type.getConstructor().newInstance();
    for (JsonNode field : fields) {
      String name = field.get("name").asText();
      if (tree.containsKey(name)) {
        Method method = method(type, setter(name), 1);
        Class<?> target = method.getParameterTypes()[0];
        method.invoke(object, value(schema, target, field.get("type").asText(), tree.get(name)));
      }
    }
    made(object);
    return object;
  }

  private @Nullable Object value(Schema schema, Class<?> target, String type, @Nullable Object value)
      throws ReflectiveOperationException {
    if (value instanceof List<?> list) {
      Collection<Object> result = target == List.class ? new ArrayList<>() : newCollection(target);
      for (Object element : list) {
        String elementType = Schema.element(type);
        result.add(Objects.requireNonNull(value(schema, elementClass(elementType), elementType, element)));
      }
      return result;
    }
    if (value instanceof Map<?, ?> map) {
      Class<?> struct = Class.forName(bodyClass(schema).getName() + "$" + type);
      return make(schema, struct, Objects.requireNonNull(schema.structFields(type)), map);
    }
    if (value instanceof Long number) {
      return narrowed(target, number);
    }
    return value instanceof String text && !type.equals("string") ? toValue(target, type, text) : value;
  }

  @SuppressWarnings("unchecked") // Apache's collections are of the structs that are put into them
  private static Collection<Object> newCollection(Class<?> type) throws ReflectiveOperationException {
    return (Collection<Object>) type.getConstructor(int.class).newInstance(0);
  }

  private static Class<?> elementClass(String type) {
    return switch (type) {
      case "int8" -> byte.class;
      case "int16" -> short.class;
      case "int32", "uint16" -> int.class;
      case "int64" -> long.class;
      default -> Object.class;
    };
  }

  private static Object narrowed(Class<?> target, Long number) {
    if (target == byte.class) {
      return number.byteValue();
    }
    if (target == short.class) {
      return number.shortValue();
    }
    return target == int.class ? (Object) number.intValue() : number;
  }

  /** Returns all fields of any version, also those that the message's version does not have. */
  Map<String, @Nullable Object> tree(Schema schema, Object message) throws ReflectiveOperationException {
    return tree(schema, message, schema.fields());
  }

  private Map<String, @Nullable Object> tree(Schema schema, Object struct, JsonNode fields)
      throws ReflectiveOperationException {
    Map<String, @Nullable Object> tree = new LinkedHashMap<>();
    for (JsonNode field : fields) {
      if (schema.isEver(field)) {
        String name = field.get("name").asText();
        Object value = method(struct.getClass(), lowerFirst(name), 0).invoke(struct);
        tree.put(name, plain(schema, field.get("type").asText(), value));
      }
    }
    return tree;
  }

  private @Nullable Object plain(Schema schema, String type, @Nullable Object value)
      throws ReflectiveOperationException {
    if (value instanceof Collection<?> list) {
      List<@Nullable Object> result = new ArrayList<>();
      for (Object element : list) {
        result.add(plain(schema, Schema.element(type), element));
      }
      return result;
    }
    JsonNode struct = schema.structFields(type);
    if (value != null && struct != null) {
      return tree(schema, value, struct);
    }
    if (value instanceof Byte || value instanceof Short || value instanceof Integer) {
      return ((Number) value).longValue();
    }
    return value == null ? null : fromValue(value);
  }

  static String lowerFirst(String name) {
    return name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
  }

  private Method method(Class<?> type, String name, int parameters) {
    return methods.computeIfAbsent(type.getName() + "." + name + parameters,
        key -> Arrays.stream(type.getMethods())
            .filter(m -> m.getName().equals(name) && m.getParameterCount() == parameters && !m.isBridge()).findFirst()
            .orElseThrow(() -> new AssertionError("no " + key)));
  }

  static byte[] bytes(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(buffer.position(), bytes);
    return bytes;
  }

  static String base64(ByteBuffer buffer) {
    return Base64.getEncoder().encodeToString(bytes(buffer));
  }

  /** Calls a method and rethrows its exception unchanged. */
  static @Nullable Object invoke(Method method, @Nullable Object target, Object... args)
      throws ReflectiveOperationException {
    try {
      return method.invoke(target, args);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }
}
