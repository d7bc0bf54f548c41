// An open-loop load: payments begin on the clock's beat, whether or not earlier ones have finished, and each
// is timed from the beat it was due at, so a stall of the service shows in the percentiles.
//
//   open_loop PORT RATE SECONDS KEY RUN [create|sale] [tender-json]
//
// A sale is two requests on one kept connection: create, then confirm. Prints one line of JSON:
// how many were due, acknowledged, refused and broken, and percentiles in milliseconds of the
// create, the confirm and the whole.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_CONNECTIONS = 2048, BUFFER = 16384 };

typedef struct {
    int file, confirming, busy;
    size_t got, number;
    uint64_t due, sent, created;
    char in[BUFFER];
} Connection;

static Connection *connections[LIMIT_CONNECTIONS];
static size_t opened, idle_count;
static Connection *idle[LIMIT_CONNECTIONS];
static int poll_file, port, sale;
static const char *key, *run, *tender;
static double *create_ms, *confirm_ms, *whole_ms;
static size_t due_count, done_count, refused, broken;

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static Connection *open_connection(void) {
    if (opened == LIMIT_CONNECTIONS) return NULL;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;
    if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof address) != 0) {
        if (file >= 0) close(file);
        return NULL;
    }
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    fcntl(file, F_SETFL, O_NONBLOCK);
    Connection *c = calloc(1, sizeof *c);
    c->file = file;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(poll_file, EPOLL_CTL_ADD, file, &event);
    connections[opened++] = c;
    return c;
}

static void post(Connection *c, const char *path, const char *step, const char *body) {
    char out[2048];
    int length = snprintf(out, sizeof out,
                          "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer %s\r\n"
                          "Idempotency-Key: %s-%s-%zu\r\nContent-Type: application/json\r\n"
                          "Content-Length: %zu\r\n\r\n%s",
                          path, key, step, run, c->number, strlen(body), body);
    c->got = 0;
    c->sent = now();
    if (length <= 0 || (size_t)length >= sizeof out || send(c->file, out, (size_t)length, MSG_NOSIGNAL) != length)
        c->busy = 2;  // broken: noticed by the caller
}

static void fail(Connection *c) {
    broken++;
    c->busy = 2;
    epoll_ctl(poll_file, EPOLL_CTL_DEL, c->file, NULL);
    close(c->file);  // the slot is not used again; the limit bounds how often this can happen
}

static void begin(uint64_t due) {
    Connection *c = idle_count ? idle[--idle_count] : open_connection();
    size_t number = due_count++;
    if (!c) {
        broken++;
        return;
    }
    char body[256];
    snprintf(body, sizeof body, "{\"order_id\":\"o-%s-%zu\",\"amount\":1250,\"currency\":\"EUR\"}", run, number);
    c->busy = 1;
    c->confirming = 0;
    c->number = number;
    c->due = due;
    post(c, "/v1/payments", "c", body);
    if (c->busy == 2) fail(c);
}

// The whole answer is here? Gives its status, else 0. Understands a content length and chunks.
static int complete(Connection *c, char **body) {
    c->in[c->got] = 0;
    char *end = strstr(c->in, "\r\n\r\n");
    if (!end) return 0;
    *body = end + 4;
    char *field = strcasestr(c->in, "\ncontent-length:");
    if (field && field < end) {
        size_t length = strtoul(field + 16, NULL, 10);
        if (c->got < (size_t)(*body - c->in) + length) return 0;
    } else if (!strstr(end, "\r\n0\r\n\r\n")) {
        return 0;
    }
    return atoi(c->in + 9);
}

static void finish(Connection *c) {
    c->busy = 0;
    c->got = 0;
    idle[idle_count++] = c;
}

static void answered(Connection *c) {
    char *body;
    int status = complete(c, &body);
    if (!status) return;
    uint64_t t = now();
    if (status / 100 != 2) {
        if (refused++ == 0) fprintf(stderr, "first refusal: %.600s\n", c->in);
        finish(c);
        return;
    }
    if (!c->confirming) {
        c->created = t;
        create_ms[done_count] = (double)(t - c->due) / 1e6;  // overwritten unless this one ends the payment
        if (!sale) {
            whole_ms[done_count++] = (double)(t - c->due) / 1e6;
            finish(c);
            return;
        }
        char *id = strstr(body, "\"id\""), path[256];
        id = id ? strchr(id + 4, '"') : NULL;
        char *end = id ? strchr(id + 1, '"') : NULL;
        if (!end || end - id > 100) {
            fail(c);
            return;
        }
        snprintf(path, sizeof path, "/v1/payments/%.*s/confirm", (int)(end - id - 1), id + 1);
        c->confirming = 1;
        post(c, path, "f", tender);
        if (c->busy == 2) fail(c);
        return;
    }
    create_ms[done_count] = (double)(c->created - c->due) / 1e6;
    confirm_ms[done_count] = (double)(t - c->sent) / 1e6;
    whole_ms[done_count++] = (double)(t - c->due) / 1e6;
    finish(c);
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_percentiles(const char *name, double *values) {
    qsort(values, done_count, sizeof *values, ascending);
    size_t last = done_count - 1;
    printf(",\"%s\":{\"p50_ms\":%.4f,\"p99_ms\":%.4f,\"max_ms\":%.4f}", name, values[last / 2],
           values[(size_t)((double)last * 0.99)], values[last]);
}

int main(int count, char **arguments) {
    if (count < 6) {
        fprintf(stderr, "usage: open_loop PORT RATE SECONDS KEY RUN [create|sale] [tender-json]\n");
        return 64;
    }
    port = atoi(arguments[1]);
    double rate = atof(arguments[2]), seconds = atof(arguments[3]);
    key = arguments[4];
    run = arguments[5];
    sale = count < 7 || strcmp(arguments[6], "create") != 0;
    tender = count > 7 ? arguments[7]
                       : "{\"tender\":{\"type\":\"reader\",\"reader\":\"simulated\",\"card\":\"visa\"}}";
    size_t total = (size_t)(rate * seconds);
    if (port <= 0 || rate <= 0 || total == 0) return 64;
    create_ms = calloc(total + 1, sizeof(double));
    confirm_ms = calloc(total + 1, sizeof(double));
    whole_ms = calloc(total + 1, sizeof(double));
    poll_file = epoll_create1(EPOLL_CLOEXEC);
    int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    uint64_t step = (uint64_t)(1e9 / rate), start = now() + 50000000u;
    struct itimerspec beat = {{(time_t)(step / 1000000000u), (long)(step % 1000000000u)},
                              {(time_t)(start / 1000000000u), (long)(start % 1000000000u)}};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[256];
    epoll_ctl(poll_file, EPOLL_CTL_ADD, timer, &event);
    for (int i = 0; i < 32; i++) {  // connections opened before the clock starts
        Connection *c = open_connection();
        if (c) idle[idle_count++] = c;
    }
    if (!idle_count) {
        fprintf(stderr, "open_loop: nobody answers on port %d\n", port);
        return 69;
    }
    timerfd_settime(timer, TFD_TIMER_ABSTIME, &beat, NULL);
    uint64_t patience = start + (uint64_t)(seconds * 1e9) + 10000000000u;
    while (done_count + refused + broken < total && now() < patience) {
        int n = epoll_wait(poll_file, events, 256, 1000);
        for (int i = 0; i < n; i++) {
            Connection *c = events[i].data.ptr;
            if (!c) {
                uint64_t beats = 0;
                if (read(timer, &beats, sizeof beats) != sizeof beats) continue;
                for (; beats && due_count < total; beats--) begin(start + due_count * step);
                continue;
            }
            ssize_t got = recv(c->file, c->in + c->got, BUFFER - 1 - c->got, 0);
            if (got < 0 && (errno == EAGAIN || errno == EINTR)) continue;
            if (got <= 0) {
                if (c->busy == 1) fail(c);
                else if (c->busy == 0) {
                    for (size_t k = 0; k < idle_count; k++)
                        if (idle[k] == c) idle[k] = idle[--idle_count];
                    epoll_ctl(poll_file, EPOLL_CTL_DEL, c->file, NULL);
                    close(c->file);
                    c->busy = 2;
                }
                continue;
            }
            c->got += (size_t)got;
            if (c->busy == 1) answered(c);
        }
    }
    size_t unanswered = total - done_count - refused - broken;
    printf("RESULT {\"due\":%zu,\"acknowledged\":%zu,\"refused\":%zu,\"broken\":%zu,\"connections\":%zu", due_count,
           done_count, refused, broken + unanswered, opened);
    if (done_count) {
        print_percentiles("create", create_ms);
        if (sale) print_percentiles("confirm", confirm_ms);
        print_percentiles("whole", whole_ms);
    }
    printf("}\n");
    return done_count == total ? 0 : 1;
}
