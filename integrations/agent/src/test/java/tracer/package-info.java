@org.jspecify.annotations.NullMarked
package tracer;
