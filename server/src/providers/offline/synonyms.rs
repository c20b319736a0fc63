//! What consoles call the same thing by different words.
//!
//! A word belongs to one group. Two-word names count as one word. Groups are for finding, not for telling: an answer
//! always uses the page's own words.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::words::stem;

/// Each line is one concept.
const GROUPS: &[&str] = &[
    "domain, hostname, host, fqdn, host name, domain name, dns name, vhost, virtual host",
    "port, listener, listen, listen port, port number",
    "tls, https, ssl, encryption, encrypted",
    "certificate, cert, x509",
    "waf, firewall, app firewall, application firewall",
    "origin, backend, upstream, origin server, backend server, upstream server, endpoint, server",
    "pool, origin pool, backend pool, server pool, target group, cluster",
    "route, routing rule, path rule",
    "path, prefix, uri, url path",
    "health, healthy, healthcheck, health check, health probe, probe, liveness, unhealthy",
    "status, state, condition",
    "enabled, active, activated, turned, running, inactive, disabled",
    "owner, creator, author, owned, maintainer, created by",
    "label, tag, annotation",
    "timeout, time out, deadline",
    "edit, change, modify, update, configure, adjust, alter",
    "delete, remove, destroy, erase, uninstall, drop",
    "create, add, new, insert, make, set up",
    "save, apply, submit, commit, store",
    "cancel, discard, abort, revert",
    "search, filter, query",
    "open, view, inspect",
    "copy, clone, duplicate",
    "download, export, backup",
    "upload, import",
    "login, sign in, log in, signin",
    "logout, sign out, log out, signout",
    "name, title, called, named",
    "description, comment, note, purpose",
    "namespace, project, workspace",
    "tenant, organization, organisation, account, company",
    "ip, address, ip address, vip, ip addr",
    "region, location, site, zone, datacenter, data center, city, country",
    "user, member, person, people",
    "role, permission, privilege, access",
    "version, revision, release",
    "minimum, min, least, lowest, smallest",
    "maximum, max, most, highest, limit, largest",
    "count, number, amount, quantity, total",
    "created, creation, creation time, created at, creation timestamp",
    "modified, updated, last modified, last updated, changed, modification timestamp, last change",
    "expiry, expiration, expires, expire, valid until, expired",
    "load balancer, loadbalancer, lb, balancer",
    "algorithm, balancing, lb algorithm, load balancing, strategy",
    "weight, priority, preference",
    "rate limit, ratelimit, rate limiting, rate limiter, throttle, throttling, quota",
    "error, failure, problem, issue, fault, failed, wrong, warning, alert, alarm, caution",
    "request, traffic, hit, rps, throughput",
    "latency, delay, response time, duration",
    "redirect, redirection, forward",
    "header, http header",
    "policy, policies, rule",
    "bot, bot defense, bot protection",
    "ddos, dos",
    "cache, caching, cdn",
    "cookie, session, affinity, stickiness, sticky",
    "method, verb, http method",
    "protocol, scheme",
    "email, mail, e mail",
    "phone, telephone, mobile",
    "price, cost, fee, charge",
    "type, kind, category",
    "id, uid, uuid, identifier",
    "environment, env, stage",
    "tab, section, chapter",
    "menu, navigation",
    "config, configuration, setting, settings, option, preference",
];

/// The groups, by stem.
#[derive(Default)]
struct Index {
    words: HashMap<String, usize>,
    pairs: HashMap<String, HashMap<String, usize>>,
}

static INDEX: LazyLock<Index> = LazyLock::new(|| {
    let mut index = Index::default();
    for (number, group) in GROUPS.iter().enumerate() {
        for name in group.split(", ") {
            let mut stems = name.split(' ').map(stem);
            match (stems.next(), stems.next()) {
                (Some(one), None) => {
                    index.words.entry(one).or_insert(number);
                }
                (Some(one), Some(two)) => {
                    index.pairs.entry(one).or_default().entry(two).or_insert(number);
                }
                (None, _) => {}
            }
        }
    }
    index
});

/// The concept of a stem.
pub(super) fn of(stem: &str) -> Option<usize> {
    INDEX.words.get(stem).copied()
}

/// The concept of two stems in a row.
pub(super) fn of_two(one: &str, two: &str) -> Option<usize> {
    INDEX.pairs.get(one)?.get(two).copied()
}

/// Whether a stem belongs to the group of `word`.
pub(super) fn is_in_group_of(concept: Option<usize>, word: &str) -> bool {
    concept.is_some() && concept == of(&stem(word))
}
